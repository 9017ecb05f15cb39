import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import com.google.protobuf.Any;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.MessageOrBuilder;
import com.google.protobuf.util.JsonFormat;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Calls as the SDK does: grpc-java over TLS, with a token before the first call and one new token when that
 * is rejected.
 */
final class Client implements AutoCloseable {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private final String url;
  private final Rpcs rpcs;
  private final ManagedChannel channel;
  private String token;

  /** `host` and `port` belong to the https URL; the SDK itself always dials port 443. */
  Client(String url, String host, int port, Rpcs rpcs) {
    this.url = url;
    this.rpcs = rpcs;
    channel = ManagedChannelBuilder.forAddress(host, port).userAgent("scalekit-sdk-java/2.3.0").build();
  }

  /** Sends a message that is given as JSON. */
  JsonElement call(MethodDescriptor method, JsonElement message) throws Exception {
    if (token == null) token = fetchToken();
    try {
      return callOnce(method, message);
    } catch (StatusRuntimeException failure) {
      if (failure.getStatus().getCode() != Code.UNAUTHENTICATED) throw failure;
      token = fetchToken();
      return callOnce(method, message);
    }
  }

  void useToken(String other) {
    token = other;
  }

  private JsonElement callOnce(MethodDescriptor method, JsonElement message) throws Exception {
    var request = DynamicMessage.newBuilder(method.getInputType());
    JsonFormat.parser().usingTypeRegistry(rpcs.types).merge(message.toString(), request);
    var headers = new Metadata();
    headers.put(AUTHORIZATION, "Bearer " + token);
    var options = CallOptions.DEFAULT.withDeadlineAfter(10, TimeUnit.SECONDS);
    var attached = io.grpc.ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(headers));
    return read(ClientCalls.blockingUnaryCall(attached, callable(method), options, request.build()));
  }

  /** The details of an error. */
  List<JsonElement> detailsOf(StatusRuntimeException failure) throws Exception {
    var found = new ArrayList<JsonElement>();
    for (Any detail : StatusProto.fromThrowable(failure).getDetailsList()) {
      var type = rpcs.message(detail.getTypeUrl().replaceFirst(".*/", ""));
      found.add(read(DynamicMessage.parseFrom(type, detail.getValue())));
    }
    return found;
  }

  private JsonElement read(MessageOrBuilder message) throws Exception {
    return JsonParser.parseString(JsonFormat.printer().usingTypeRegistry(rpcs.types).print(message));
  }

  private static io.grpc.MethodDescriptor<DynamicMessage, DynamicMessage> callable(MethodDescriptor method) {
    var name = method.getService().getFullName();
    return io.grpc.MethodDescriptor.<DynamicMessage, DynamicMessage>newBuilder()
        .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
        .setFullMethodName(io.grpc.MethodDescriptor.generateFullMethodName(name, method.getName()))
        .setRequestMarshaller(ProtoUtils.marshaller(DynamicMessage.getDefaultInstance(method.getInputType())))
        .setResponseMarshaller(ProtoUtils.marshaller(DynamicMessage.getDefaultInstance(method.getOutputType())))
        .build();
  }

  private String fetchToken() throws Exception {
    var form = "grant_type=client_credentials&client_id=" + System.getenv("UNDERSTUDY_CLIENT_ID");
    var request = HttpRequest.newBuilder(URI.create(url + "/oauth/token"))
        .header("content-type", "application/x-www-form-urlencoded")
        .POST(HttpRequest.BodyPublishers.ofString(form + "&client_secret=" + System.getenv("UNDERSTUDY_CLIENT_SECRET")))
        .build();
    var answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    if (answer.statusCode() != 200) throw new AssertionError("token: " + answer.statusCode() + " " + answer.body());
    return JsonParser.parseString(answer.body()).getAsJsonObject().get("access_token").getAsString();
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
