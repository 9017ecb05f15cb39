import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const HERE = import.meta.dirname;
const files = readdirSync(HERE)
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => join(HERE, name));
const program = ts.createProgram(files, {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  allowImportingTsExtensions: true,
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  types: ['node'],
});
const checker = program.getTypeChecker();

it('these tests call every public method of the SDK', () => {
  const called = new Set<ts.Symbol>();
  for (const file of files) noteUses(program.getSourceFile(file)!, called);
  const methods = methodsOf(clientType());
  const missing = methods.filter(({ symbol }) => !called.has(symbol)).map(({ name }) => name);
  expect(missing).toEqual([]);
  expect(methods.length).toBeGreaterThan(100);
});

/** The class of the SDK's client, taken from the return type of `connect` in support.ts. */
function clientType(): ts.Type {
  const support = program.getSourceFile(join(HERE, 'support.ts'))!;
  const env = checker
    .getExportsOfModule(checker.getSymbolAtLocation(support)!)
    .find(({ name }) => name === 'Environment')!;
  const connect = checker.getDeclaredTypeOfSymbol(env).getProperty('connect')!;
  return checker.getTypeOfSymbol(connect).getCallSignatures()[0]!.getReturnType();
}

/** The methods of a class and, prefixed with the member's name, of the clients in its members. */
function methodsOf(type: ts.Type, path = ''): { name: string; symbol: ts.Symbol }[] {
  return type
    .getProperties()
    .filter(isPublic)
    .flatMap((symbol) => {
      const member = checker.getTypeOfSymbol(symbol);
      const name = `${path}${symbol.name}`;
      return member.getCallSignatures().length > 0 ? [{ name, symbol }] : methodsOf(member, `${name}.`);
    });
}

function isPublic({ declarations = [] }: ts.Symbol): boolean {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  return declarations.every((declaration) => !(ts.getCombinedModifierFlags(declaration) & hidden));
}

function noteUses(node: ts.Node, called: Set<ts.Symbol>): void {
  if (ts.isPropertyAccessExpression(node)) {
    const symbol = checker.getSymbolAtLocation(node.name);
    if (symbol) called.add(symbol);
  }
  ts.forEachChild(node, (child) => noteUses(child, called));
}
