import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.util.JsonFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** The RPCs of a FileDescriptorSet. */
final class Rpcs {
  /** The RPCs by names such as `OrganizationService/GetOrganization`. */
  final Map<String, MethodDescriptor> methods = new LinkedHashMap<>();

  final JsonFormat.TypeRegistry types;
  private final Map<String, Descriptor> messages = new LinkedHashMap<>();

  Rpcs(Path descriptors) throws Exception {
    var files = new LinkedHashMap<String, FileDescriptor>();
    for (var file : setOf(descriptors).getFileList()) files.put(file.getName(), built(file, files));
    var registry = JsonFormat.TypeRegistry.newBuilder();
    for (var file : files.values()) {
      registry.add(file.getMessageTypes());
      file.getMessageTypes().forEach(message -> messages.put(message.getFullName(), message));
      for (var service : file.getServices())
        for (var method : service.getMethods()) methods.put(service.getName() + "/" + method.getName(), method);
    }
    types = registry.build();
  }

  Descriptor message(String name) {
    return messages.get(name);
  }

  private static FileDescriptorSet setOf(Path file) throws IOException {
    return FileDescriptorSet.parseFrom(Files.readAllBytes(file));
  }

  /** Adds a file after all files that it imports. */
  private static FileDescriptor built(FileDescriptorProto file, Map<String, FileDescriptor> before) throws Exception {
    var imported = file.getDependencyList().stream().map(before::get).toArray(FileDescriptor[]::new);
    return FileDescriptor.buildFrom(file, imported);
  }
}
