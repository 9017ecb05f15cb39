// Which methods of the official SDKs call an operation: `x-sdk` of the operation in the document that is served.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, dirname } from 'node:path';
import ts from 'typescript';
import { parse } from 'yaml';
import { sdkFiles } from './sdk-descriptors.mjs';

/** The SDK for Python is not installed here: its own tests write the file, and check it. */
const PYTHON = 'evidence/methods/sdk-python.yaml';

/** For each operation that an SDK can call: the RPC, and the methods for Node and Python with their parameters. */
export async function sdkMethods() {
  const methods = new Map();
  const add = (operation, part) => methods.set(operation, { ...methods.get(operation), ...part });
  for (const { package: name, service } of await sdkFiles())
    for (const { name: each, method } of service)
      for (const rpc of method) add(`${each}_${rpc.name}`, { rpc: `${name}.${each}/${rpc.name}` });
  for (const [operation, node] of await nodeMethods()) add(operation, { node });
  for (const [operation, python] of Object.entries(parse(readFileSync(PYTHON, 'utf8')).methods))
    add(operation, { python });
  return methods;
}

/** Reads the classes as they are installed: `user.getUser(userId)` by `UserService_GetUser`. */
async function nodeMethods() {
  const { ScalekitClient } = await import('@scalekit-sdk/node');
  const client = new ScalekitClient('http://localhost', 'id', 'secret');
  const found = new Map();
  for (const [part, object] of Object.entries(client)) {
    const service = /createClient\(\w+\.(\w+)\)/.exec(String(object?.constructor))?.[1];
    if (service === undefined) continue;
    const types = parametersOf(String(object.constructor.name));
    for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(object))) {
      const rpc = name !== 'constructor' && /this\.client\.(\w+)/.exec(String(object[name]))?.[1];
      if (!rpc) continue;
      const operation = `${service}_${rpc[0].toUpperCase()}${rpc.slice(1)}`;
      // Several methods may call one RPC: the one of the same name comes first.
      if (name === rpc || !found.has(operation))
        found.set(operation, `${part}.${name}(${(types.get(name) ?? []).join(', ')})`);
    }
  }
  return found;
}

const LIBRARY = dirname(createRequire(import.meta.url).resolve('@scalekit-sdk/node'));

/** The parameters of each method of a class; `?` marks those that may be left out. */
function parametersOf(className) {
  const imported = new RegExp(`import ${className} from '\\./([\\w-]+)'`);
  const module = imported.exec(readFileSync(join(LIBRARY, 'scalekit.d.ts'), 'utf8'))?.[1];
  if (module === undefined) return new Map();
  const text = readFileSync(join(LIBRARY, `${module}.d.ts`), 'utf8');
  const source = ts.createSourceFile('sdk.d.ts', text, ts.ScriptTarget.Latest);
  const members = source.statements.filter(ts.isClassDeclaration).flatMap((each) => [...each.members]);
  const isOptional = (each) => each.questionToken !== undefined || each.initializer !== undefined;
  const nameOf = (each) => `${each.name.getText(source)}${isOptional(each) ? '?' : ''}`;
  return new Map(
    members
      .filter(ts.isMethodDeclaration)
      .map((each) => [each.name.getText(source), each.parameters.map(nameOf)]),
  );
}
