// Fails when a file of src/ or packages/ exports a name that no other file imports. Such a name is private or not needed.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

const READ = ['src', 'packages', 'test', 'scripts', 'examples'];
const CHECKED = /^(src|packages\/[^/]+\/src)\/(?!.*\.(gen|d)\.ts$)/;
const IN_BUILD = /'((?:src|packages)\/[\w./-]+\.tsx?)'/g;

const files = READ.flatMap((folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.m?tsx?$|\.mjs$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => !/node_modules|\/\.|\/dist\//.test(file)),
);
const sources = new Map(files.map((file) => [file, parse(file)]));

/** The packages of this repository, with their folders, which other packages import by name. */
const packages = new Map(
  ['src', ...readdirSync('packages').map((name) => join('packages', name))]
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .map((folder) => [folder, JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))])
    .map(([folder, { name, exports }]) => [name, { folder, exports }]),
);

/** `file#name` of each import, and `file#*` where all exports of a file are used. */
const used = new Set();
for (const [file, source] of sources) {
  visit(source, file);
  if (file.startsWith('scripts/'))
    for (const [, entry] of source.text.matchAll(IN_BUILD)) used.add(`${entry}#*`);
}
const unused = files
  .filter((file) => CHECKED.test(file) && !used.has(`${file}#*`))
  .flatMap((file) => exportsOf(sources.get(file)).map(({ name, at }) => ({ file, name, at })))
  .filter(({ file, name }) => !used.has(`${file}#${name}`));
for (const { file, name, at } of unused)
  console.error(
    `${file}:${at}: no other file imports ${name}; remove \`export\`, or the code if nothing uses it`,
  );
if (unused.length > 0) process.exitCode = 1;

function parse(file) {
  return ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
}

/** Notes what the imports in a syntax tree use: static and dynamic ones, those of types, and exports from another file. */
function visit(node, file) {
  const [specifier, clause] = importOf(node);
  const target = specifier && ts.isStringLiteralLike(specifier) && resolve(specifier.text, file);
  if (target) for (const name of namesOf(clause)) used.add(`${target}#${name}`);
  ts.forEachChild(node, (child) => visit(child, file));
}

/** The file that an import leads to, or undefined if it is not in this repository. */
function resolve(specifier, file) {
  if (specifier.startsWith('.')) return normalize(join(dirname(file), specifier));
  const [scope, name, ...rest] = specifier.split('/');
  const found = packages.get(`${scope}/${name}`);
  const path = ['.', ...rest].join('/');
  const target = found?.exports[path] ?? found?.exports['./*']?.replace('*', rest.join('/'));
  return target && normalize(join(found.folder, target));
}

/** The specifier of an import, and its clause. A dynamic import has no clause: it may use everything. */
function importOf(node) {
  if (ts.isImportDeclaration(node)) return [node.moduleSpecifier, node.importClause];
  if (ts.isExportDeclaration(node)) return [node.moduleSpecifier, node.exportClause];
  if (ts.isImportTypeNode(node)) return [node.argument.literal];
  if (ts.isCallExpression(node) && isImport(node.expression)) return [node.arguments[0]];
  return [];
}

/** `import(…)`, and the functions of vitest that take a path. */
function isImport({ kind, name }) {
  return kind === ts.SyntaxKind.ImportKeyword || name?.text === 'importActual' || name?.text === 'mock';
}

function namesOf(clause) {
  const bindings = clause?.namedBindings ?? clause;
  if (clause?.name && !clause.namedBindings) return ['default'];
  if (!bindings?.elements) return ['*'];
  const names = bindings.elements.map(({ name, propertyName }) => (propertyName ?? name).text);
  return clause.name ? ['default', ...names] : names;
}

/** The names that a file itself declares and exports, each with its line. */
function exportsOf(source) {
  const isExported = ({ modifiers }) => modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  const at = (node) => source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
  return source.statements.filter(isExported).flatMap((statement) => {
    const declared = statement.declarationList?.declarations ?? [statement];
    return declared.filter(({ name }) => name?.text).map((node) => ({ name: node.name.text, at: at(node) }));
  });
}
