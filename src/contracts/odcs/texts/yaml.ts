import {
  type Alias,
  Composer,
  type CST,
  Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type ParsedNode,
  Parser,
} from 'yaml';
import { type Json, type JsonObject, type MutableJsonObject, setMember } from '../../../model/json.ts';
import {
  invalidAt,
  invalidSyntaxError,
  joinPath,
  MAX_ALIASES,
  MAX_DOCUMENT_DEPTH,
  MAX_DOCUMENT_NODES,
  MAX_SCALAR_LENGTH,
} from '../issues.ts';
import { tryReadJson } from './json-text.ts';

/**
 * Reads untrusted YAML and writes documents as YAML. The library's tree is converted to values here, because that
 * step holds the dangers of YAML: repeated aliases, tags that create objects, and keys that are not text.
 */

/** Tags that the core schema would infer as well. */
const CORE_TAGS = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => `tag:yaml.org,2002:${name}`),
);

/** Nodes that the parser keeps open in addition to collections: the document, a scalar, and the current pair. */
const PARSER_STACK_SLACK = 8;

/**
 * The maximum number of tokens, which include blanks, line ends and marks. A document within the other limits has far
 * fewer.
 */
const MAX_PARTS = 6 * MAX_DOCUMENT_NODES;

/**
 * The maximum number of directives and document marks: each costs as much as a document, and one document needs few.
 */
const MAX_MARKS = 8;

/** A value with its size, so that each alias of it adds the same size again. */
type MeasuredValue = {
  readonly value: Json;
  readonly nodes: number;
  readonly height: number;
  readonly aliases: number;
};

/** A path as a linked list, because few paths are ever shown. */
type YamlPath = { readonly above: YamlPath | undefined; readonly name: string | number };

const pathOf = (place: YamlPath | undefined): string =>
  place === undefined ? '' : joinPath(pathOf(place.above), place.name);

/** Yields the tokens of a text and refuses it as soon as they are too deep or too many, before a tree is built. */
function* tokensOf(text: string, lines: LineCounter): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let parts = 0;
  let marks = 0;
  let documents = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      if (token.type === 'document' || token.type === 'directive' || token.type === 'doc-end') marks += 1;
      if (token.type === 'document') documents += 1;
      if (documents > 1 || marks > MAX_MARKS) throw severalDocumentsError(token.offset, lines);
      yield token;
    }
    parts += 1;
    if (parser.stack.length > MAX_DOCUMENT_DEPTH + PARSER_STACK_SLACK) throw tooDeepError(undefined);
    if (parts > MAX_PARTS) throw tooManyNodesError();
  }
  for (const token of parser.end()) {
    if (token.type === 'document' && documents > 0) throw severalDocumentsError(token.offset, lines);
    yield token;
  }
}

const severalDocumentsError = (offset: number, lines: LineCounter) => {
  const { line, col } = lines.linePos(offset);
  return invalidSyntaxError(line, col, 'only one document is expected');
};

const tooDeepError = (place: YamlPath | undefined) =>
  invalidAt(pathOf(place), `nested more than ${MAX_DOCUMENT_DEPTH} levels deep`);
const tooManyNodesError = () => invalidAt('', `more than ${MAX_DOCUMENT_NODES} nodes`);

const composeDocument = (text: string, lines: LineCounter) => {
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    // The library compares every key with every other; duplicate keys are detected below in one pass.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const [document] = composer.compose(tokensOf(text, lines), true, text.length);
  const error = document?.errors[0];
  if (error) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw invalidSyntaxError(Math.max(line, 1), Math.max(col, 1), error.message);
  }
  return document;
};

/** The conversion of one document: where its lines begin, its anchors, and what has been counted so far. */
type YamlWalk = {
  readonly lines: LineCounter;
  readonly digits: ReadonlySet<string>;
  readonly anchors: Map<string, MeasuredValue | 'open'>;
  nodes: number;
  aliases: number;
};

type YamlPair = { readonly key: ParsedNode; readonly value: ParsedNode | null };

const faultAt = (walk: YamlWalk, node: ParsedNode | null, message: string) => {
  const { line, col } = walk.lines.linePos(node?.range[0] ?? 0);
  return invalidSyntaxError(Math.max(line, 1), Math.max(col, 1), message);
};

const countNodes = (walk: YamlWalk, count: number): void => {
  walk.nodes += count;
  if (walk.nodes > MAX_DOCUMENT_NODES) throw tooManyNodesError();
};

const scalarOf = (walk: YamlWalk, node: ParsedNode, place: YamlPath | undefined): Json => {
  if (!isScalar(node)) throw faultAt(walk, node, 'not a value');
  const { value } = node;
  if (typeof value === 'string') {
    if (value.length > MAX_SCALAR_LENGTH)
      throw invalidAt(pathOf(place), `text longer than ${MAX_SCALAR_LENGTH} characters`);
    return value;
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw invalidAt(pathOf(place), 'must be a finite number');
    const isRootMember = place !== undefined && place.above === undefined;
    return isRootMember && walk.digits.has(String(place.name)) ? (node.source ?? String(value)) : value;
  }
  if (typeof value === 'boolean' || value === null) return value;
  throw faultAt(walk, node, 'not a value of the core schema');
};

const assertTag = (walk: YamlWalk, node: ParsedNode): void => {
  if (!isAlias(node) && node.tag !== undefined && !CORE_TAGS.has(node.tag)) {
    throw faultAt(walk, node, `the tag ${node.tag} is not allowed`);
  }
};

const keyOf = (walk: YamlWalk, key: ParsedNode, place: YamlPath | undefined): string => {
  assertTag(walk, key);
  if (!isScalar(key) || typeof key.value !== 'string')
    throw faultAt(walk, key, `a key in ${pathOf(place) || '$'} is not text`);
  if (key.value.length > MAX_SCALAR_LENGTH) throw faultAt(walk, key, 'the key is too long');
  return key.value;
};

const measureNode = (
  walk: YamlWalk,
  node: ParsedNode | null,
  place: YamlPath | undefined,
  depth: number,
): MeasuredValue => {
  if (node === null) {
    countNodes(walk, 1);
    return { value: null, nodes: 1, height: 0, aliases: 0 };
  }
  if (isAlias(node)) return resolveAlias(walk, node, place, depth);
  assertTag(walk, node);
  const anchor = node.anchor;
  if (anchor !== undefined) walk.anchors.set(anchor, 'open');
  const result = measureContent(walk, node, place, depth);
  if (anchor !== undefined) walk.anchors.set(anchor, result);
  return result;
};

const resolveAlias = (
  walk: YamlWalk,
  node: Alias.Parsed,
  place: YamlPath | undefined,
  depth: number,
): MeasuredValue => {
  const name = node.source;
  const target = walk.anchors.get(name);
  if (target === undefined) throw faultAt(walk, node, `the alias ${name} has no anchor`);
  if (target === 'open') throw faultAt(walk, node, `the alias ${name} stands inside what it stands for`);
  walk.aliases += 1 + target.aliases;
  if (walk.aliases > MAX_ALIASES) throw invalidAt(pathOf(place), `more than ${MAX_ALIASES} aliases`);
  countNodes(walk, target.nodes);
  if (depth + target.height > MAX_DOCUMENT_DEPTH) throw tooDeepError(place);
  return { ...target, aliases: target.aliases + 1 };
};

const measureContent = (
  walk: YamlWalk,
  node: ParsedNode,
  place: YamlPath | undefined,
  depth: number,
): MeasuredValue => {
  countNodes(walk, 1);
  if (!isMap(node) && !isSeq(node)) return { value: scalarOf(walk, node, place), nodes: 1, height: 0, aliases: 0 };
  if (depth >= MAX_DOCUMENT_DEPTH) throw tooDeepError(place);
  const total = { nodes: 1, height: 0, aliases: 0 };
  const inner = (child: ParsedNode | null, name: string | number): Json => {
    const found = measureNode(walk, child, { above: place, name }, depth + 1);
    total.nodes += found.nodes;
    total.aliases += found.aliases;
    total.height = Math.max(total.height, found.height);
    return found.value;
  };
  const value = isMap(node)
    ? mapOf(walk, node.items as readonly YamlPair[], place, inner)
    : (node.items as readonly ParsedNode[]).map(inner);
  return { value, nodes: total.nodes, height: total.height + 1, aliases: total.aliases };
};

const mapOf = (
  walk: YamlWalk,
  pairs: readonly YamlPair[],
  place: YamlPath | undefined,
  inner: (child: ParsedNode | null, name: string) => Json,
): Json => {
  const object: MutableJsonObject = Object.create(null);
  for (const { key, value } of pairs) {
    const name = keyOf(walk, key, place);
    if (Object.hasOwn(object, name)) {
      const { line, col } = walk.lines.linePos(key.range[0]);
      throw invalidAt(pathOf({ above: place, name }), `duplicate key at line ${line}, column ${col}`);
    }
    setMember(object, name, inner(value, name));
  }
  return object;
};

/**
 * Parses a YAML or JSON text. Root members named in `digits` keep their digits as text, because `1.10` is a version
 * and not the number 1.1.
 */
export const readYaml = (text: string, digits: ReadonlySet<string>): Json => {
  const json = tryReadJson(text, digits);
  if (json !== undefined) return json;
  const lines = new LineCounter();
  const document = composeDocument(text, lines);
  if (document === undefined || document.contents === null) return null;
  const walk: YamlWalk = { lines, digits, anchors: new Map(), nodes: 0, aliases: 0 };
  return measureNode(walk, document.contents as ParsedNode, undefined, 0).value;
};

/** The order of a document's root members (odcs.md 3); all others follow. */
const ROOT_ORDER: readonly string[] = [
  'apiVersion',
  'standardVersion',
  'kind',
  'id',
  'uuid',
  'name',
  'version',
  'status',
  'tenant',
  'domain',
  'datasetDomain',
  'dataProduct',
  'quantumName',
  'tags',
  'description',
  'authoritativeDefinitions',
  'servers',
  'schema',
  'dataset',
  'support',
  'price',
  'team',
  'stakeholders',
  'roles',
  'slaDefaultElement',
  'slaDefaultColumn',
  'slaProperties',
  'customProperties',
  'contractCreatedTs',
];

/** Orders the root members of a document. */
export const orderRootMembers = (document: JsonObject): JsonObject => {
  const result: MutableJsonObject = {};
  const names = Object.keys(document);
  const known = ROOT_ORDER.filter((name) => Object.hasOwn(document, name));
  for (const name of [...known, ...names.filter((other) => !ROOT_ORDER.includes(other))]) {
    const value = document[name];
    if (value !== undefined) setMember(result, name, value);
  }
  return result;
};

/**
 * Writes a document as YAML: block style, without anchors, and with quotes around texts that YAML 1.1 would read as
 * another type.
 */
export const writeYaml = (document: JsonObject): string =>
  new Document(orderRootMembers(document), {
    schema: 'core',
    compat: 'yaml-1.1',
    aliasDuplicateObjects: false,
  }).toString({
    lineWidth: 0,
  });
