package dev.understudy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

@Understudy
class TrustTest {
    private static final int USUAL_AUTHORITIES = 20;

    @Test
    void theClientsOfTheJdkTrustTheCertificate(UnderstudyEnvironment environment) throws Exception {
        URI keys = URI.create(environment.url() + "/keys");

        assertEquals(200, statusOf(HttpClient.newHttpClient(), keys));
        assertEquals(200, ((HttpsURLConnection) keys.toURL().openConnection()).getResponseCode());
    }

    @Test
    void aClientCanBeGivenTheContext(UnderstudyService service) throws Exception {
        HttpClient client = HttpClient.newBuilder().sslContext(service.sslContext()).build();

        assertEquals(200, statusOf(client, URI.create(service.url() + "/keys")));
    }

    @Test
    void whatWasTrustedBeforeIsStillTrusted(UnderstudyService service) throws Exception {
        assertTrue(service.url().startsWith("https://localhost:"));
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init((KeyStore) null);
        X509TrustManager manager = (X509TrustManager) factory.getTrustManagers()[0];
        assertTrue(manager.getAcceptedIssuers().length > USUAL_AUTHORITIES);
    }

    /** The JDK remembers the authorities of a file; threads that asked while it read a new one got the former ones. */
    @Test
    void everyThreadHasTheCertificateRightAfterTheStart() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(6);
        try (UnderstudyService service = UnderstudyService.start(Caller.checkout())) {
            assertTrue(service.url().startsWith("https://"));
            List<Future<Integer>> counts = new ArrayList<>();
            for (int index = 0; index < 6; index++) counts.add(threads.submit(TrustTest::authorities));
            Set<Integer> different = new HashSet<>();
            for (Future<Integer> count : counts) different.add(count.get());
            assertEquals(Set.of(authorities()), different);
        } finally {
            threads.shutdownNow();
        }
    }

    private static int authorities() throws Exception {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init((KeyStore) null);
        return ((X509TrustManager) factory.getTrustManagers()[0]).getAcceptedIssuers().length;
    }

    @Test
    void theTransportOfTheSdkTrustsTheCertificate(UnderstudyEnvironment environment) throws Exception {
        URI url = URI.create(environment.url());
        assertEquals(Status.Code.UNAUTHENTICATED, answerOfGrpc(url.getHost(), url.getPort()));
    }

    @Test
    void theTransportOfTheSdkTrustsASecondServiceToo(UnderstudyEnvironment environment) throws Exception {
        try (UnderstudyService second = UnderstudyService.start(Caller.checkout())) {
            URI url = URI.create(second.url());
            assertEquals(Status.Code.UNAUTHENTICATED, answerOfGrpc(url.getHost(), url.getPort()));
        }
        theTransportOfTheSdkTrustsTheCertificate(environment);
    }

    @Test
    void anAddressWithPort443NamesNoPort() {
        assertEquals("https://localhost", Addresses.withTls("http://127.0.0.1:443"));
        assertEquals("https://localhost:8080", Addresses.withTls("http://127.0.0.1:8080"));
    }

    /** Calls without a token, as grpc-java does: the status shows that the connection works. */
    private static Status.Code answerOfGrpc(String host, int port) throws InterruptedException {
        ManagedChannel channel = ManagedChannelBuilder.forAddress(host, port).build();
        try {
            CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(60, TimeUnit.SECONDS);
            StatusRuntimeException failure = Assertions.assertThrows(
                    StatusRuntimeException.class,
                    () -> ClientCalls.blockingUnaryCall(channel, GET_ORGANIZATION, options, new byte[0]));
            return failure.getStatus().getCode();
        } finally {
            channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
        }
    }

    private static final MethodDescriptor<byte[], byte[]> GET_ORGANIZATION = MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("scalekit.v1.organizations.OrganizationService/GetOrganization")
            .setRequestMarshaller(new Bytes())
            .setResponseMarshaller(new Bytes())
            .build();

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException error) {
                throw new AssertionError(error);
            }
        }
    }

    private static int statusOf(HttpClient client, URI address) throws Exception {
        return client.send(HttpRequest.newBuilder(address).build(), BodyHandlers.discarding())
                .statusCode();
    }
}
