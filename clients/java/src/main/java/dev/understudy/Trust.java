package dev.understudy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.LinkedHashSet;
import java.util.Set;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/** Makes this JVM trust the certificate of each service, besides those that it trusts anyway. */
final class Trust {
    private static final String PASSWORD = "changeit";
    private static final Set<Certificate> TRUSTED = new LinkedHashSet<>();

    private Trust() {}

    /**
     * Adds certificates until the JVM ends. A client has this trust if it is made later: it reads the system
     * properties of the trust store, or the default context.
     */
    static synchronized SSLContext add(String pem) {
        try {
            if (TRUSTED.isEmpty()) TRUSTED.addAll(trustedAnyway());
            TRUSTED.addAll(certificatesIn(pem));
            KeyStore store = storeOf(TRUSTED);
            write(store);
            SSLContext context = contextOf(store);
            SSLContext.setDefault(context);
            HttpsURLConnection.setDefaultSSLSocketFactory(context.getSocketFactory());
            // The JDK remembers the authorities of a file. While one thread reads a new file, others get the former
            // authorities: so it is read here, before any test can ask.
            trustedAnyway();
            return context;
        } catch (GeneralSecurityException | IOException error) {
            throw new UnderstudyException("this JVM cannot be made to trust Understudy's certificate", error);
        }
    }

    private static Set<Certificate> trustedAnyway() throws GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init((KeyStore) null);
        Set<Certificate> found = new LinkedHashSet<>();
        for (TrustManager manager : factory.getTrustManagers())
            if (manager instanceof X509TrustManager)
                for (X509Certificate each : ((X509TrustManager) manager).getAcceptedIssuers()) found.add(each);
        return found;
    }

    private static Set<Certificate> certificatesIn(String pem) throws GeneralSecurityException {
        ByteArrayInputStream text = new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII));
        return new LinkedHashSet<>(CertificateFactory.getInstance("X.509").generateCertificates(text));
    }

    private static KeyStore storeOf(Set<Certificate> certificates) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        int number = 0;
        for (Certificate each : certificates) store.setCertificateEntry("trusted-" + number++, each);
        return store;
    }

    /** Each time into another file, because the JVM may remember what a file had, or another thread may read it now. */
    private static void write(KeyStore store) throws GeneralSecurityException, IOException {
        Path file = Files.createTempFile("understudy-", ".p12");
        file.toFile().deleteOnExit();
        try (OutputStream output = Files.newOutputStream(file)) {
            store.store(output, PASSWORD.toCharArray());
        }
        System.setProperty("javax.net.ssl.trustStore", file.toString());
        System.setProperty("javax.net.ssl.trustStorePassword", PASSWORD);
        System.setProperty("javax.net.ssl.trustStoreType", "PKCS12");
    }

    private static SSLContext contextOf(KeyStore store) throws GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, factory.getTrustManagers(), null);
        return context;
    }
}
