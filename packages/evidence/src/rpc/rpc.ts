// What is loaded for the first RPC. The build makes a bundle of it, because it needs the library of protobuf.
export { callRpc } from './rpc-calls.ts';
export { RpcClient } from './rpc-client.ts';
export { errorInTrailers, errorOfConnect, RpcReader } from './rpc-reader.ts';
