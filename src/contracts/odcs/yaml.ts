import { Composer, type CST, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, type ParsedNode, Parser } from 'yaml';
import { type Json, type MutableJsonObject, setMember } from '../../model/json.ts';
import { tryReadJson } from './json-text.ts';
import { MAX_ALIASES, MAX_DOCUMENT_DEPTH, MAX_DOCUMENT_NODES, MAX_SCALAR_LENGTH } from './limits.ts';
import { invalidAt, invalidSyntaxError, joinPath } from './problem.ts';

/**
 * Reads untrusted YAML. The library's tree is converted to values here, because that step holds the dangers of YAML:
 * repeated aliases, tags that create objects, and keys that are not text.
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

/**
 * Parses a YAML or JSON text. Root members named in `digits` keep their digits as text, because `1.10` is a version
 * and not the number 1.1.
 */
export const readYaml = (text: string, digits: ReadonlySet<string>): Json => {
  const json = tryReadJson(text, digits);
  if (json !== undefined) return json;
  const lines = new LineCounter();
  const document = composeDocument(text, lines);
  const anchors = new Map<string, MeasuredValue | 'open'>();
  let nodes = 0;
  let aliases = 0;

  const fault = (node: ParsedNode | null, message: string) => {
    const { line, col } = lines.linePos(node?.range[0] ?? 0);
    return invalidSyntaxError(Math.max(line, 1), Math.max(col, 1), message);
  };

  const weigh = (count: number): void => {
    nodes += count;
    if (nodes > MAX_DOCUMENT_NODES) throw tooManyNodesError();
  };

  const scalar = (node: ParsedNode, place: YamlPath | undefined): Json => {
    if (!isScalar(node)) throw fault(node, 'not a value');
    const { value } = node;
    if (typeof value === 'string') {
      if (value.length > MAX_SCALAR_LENGTH)
        throw invalidAt(pathOf(place), `text longer than ${MAX_SCALAR_LENGTH} characters`);
      return value;
    }
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) throw invalidAt(pathOf(place), 'must be a finite number');
      const isRootMember = place !== undefined && place.above === undefined;
      return isRootMember && digits.has(String(place.name)) ? (node.source ?? String(value)) : value;
    }
    if (typeof value === 'boolean' || value === null) return value;
    throw fault(node, 'not a value of the core schema');
  };

  const keyOf = (key: ParsedNode, place: YamlPath | undefined): string => {
    assertTag(key);
    if (!isScalar(key) || typeof key.value !== 'string')
      throw fault(key, `a key in ${pathOf(place) || '$'} is not text`);
    if (key.value.length > MAX_SCALAR_LENGTH) throw fault(key, 'the key is too long');
    return key.value;
  };

  const assertTag = (node: ParsedNode): void => {
    if (!isAlias(node) && node.tag !== undefined && !CORE_TAGS.has(node.tag)) {
      throw fault(node, `the tag ${node.tag} is not allowed`);
    }
  };

  const measured = (node: ParsedNode | null, place: YamlPath | undefined, depth: number): MeasuredValue => {
    if (node === null) {
      weigh(1);
      return { value: null, nodes: 1, height: 0, aliases: 0 };
    }
    if (isAlias(node)) return aliased(node.source, node, place, depth);
    assertTag(node);
    const anchor = node.anchor;
    if (anchor !== undefined) anchors.set(anchor, 'open');
    const result = plain(node, place, depth);
    if (anchor !== undefined) anchors.set(anchor, result);
    return result;
  };

  const aliased = (name: string, node: ParsedNode, place: YamlPath | undefined, depth: number): MeasuredValue => {
    const target = anchors.get(name);
    if (target === undefined) throw fault(node, `the alias ${name} has no anchor`);
    if (target === 'open') throw fault(node, `the alias ${name} stands inside what it stands for`);
    aliases += 1 + target.aliases;
    if (aliases > MAX_ALIASES) throw invalidAt(pathOf(place), `more than ${MAX_ALIASES} aliases`);
    weigh(target.nodes);
    if (depth + target.height > MAX_DOCUMENT_DEPTH) throw tooDeepError(place);
    return { ...target, aliases: target.aliases + 1 };
  };

  const plain = (node: ParsedNode, place: YamlPath | undefined, depth: number): MeasuredValue => {
    weigh(1);
    if (!isMap(node) && !isSeq(node)) return { value: scalar(node, place), nodes: 1, height: 0, aliases: 0 };
    if (depth >= MAX_DOCUMENT_DEPTH) throw tooDeepError(place);
    const total = { nodes: 1, height: 0, aliases: 0 };
    const inner = (child: ParsedNode | null, name: string | number): Json => {
      const found = measured(child, { above: place, name }, depth + 1);
      total.nodes += found.nodes;
      total.aliases += found.aliases;
      total.height = Math.max(total.height, found.height);
      return found.value;
    };
    const value = isMap(node)
      ? mapOf(node.items as readonly { key: ParsedNode; value: ParsedNode | null }[], place, inner)
      : (node.items as readonly ParsedNode[]).map(inner);
    return { value, nodes: total.nodes, height: total.height + 1, aliases: total.aliases };
  };

  const mapOf = (
    pairs: readonly { key: ParsedNode; value: ParsedNode | null }[],
    place: YamlPath | undefined,
    inner: (child: ParsedNode | null, name: string) => Json,
  ): Json => {
    const object: MutableJsonObject = Object.create(null);
    for (const { key, value } of pairs) {
      const name = keyOf(key, place);
      if (Object.hasOwn(object, name)) {
        const { line, col } = lines.linePos(key.range[0]);
        throw invalidAt(pathOf({ above: place, name }), `duplicate key at line ${line}, column ${col}`);
      }
      setMember(object, name, inner(value, name));
    }
    return object;
  };

  return document === undefined || document.contents === null
    ? null
    : measured(document.contents as ParsedNode, undefined, 0).value;
};
