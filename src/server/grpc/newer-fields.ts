import { clone, createFileRegistry, fromJson, type DescService } from '@bufbuild/protobuf';
import {
  DescriptorProtoSchema,
  FieldDescriptorProtoSchema,
  FileDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt';

const FILTER = {
  name: 'ResourceUserConsentFilter',
  field: [{ name: 'external_user_id', number: 1, label: 'LABEL_REPEATED', type: 'TYPE_STRING' }],
};

const FILTER_FIELD = {
  name: 'filter',
  number: 5,
  label: 'LABEL_OPTIONAL',
  type: 'TYPE_MESSAGE',
  typeName: `.scalekit.v1.clients.${FILTER.name}`,
};

/** The service of clients with a filter that the Node SDK lacks. As in the descriptors of the Python SDK. */
export function withConsentFilter({ file, typeName }: DescService): DescService {
  const proto = clone(FileDescriptorProtoSchema, file.proto);
  const request = proto.messageType.find(({ name }) => name === 'ListResourceUserConsentsRequest')!;
  // A later version of the Node SDK may have it.
  if (!request.field.some(({ name }) => name === FILTER_FIELD.name)) {
    proto.messageType.push(fromJson(DescriptorProtoSchema, FILTER));
    request.field.push(fromJson(FieldDescriptorProtoSchema, FILTER_FIELD));
  }
  const imports = new Map(file.dependencies.map((each) => [each.proto.name, each]));
  return createFileRegistry(proto, (name) => imports.get(name)).getService(typeName)!;
}
