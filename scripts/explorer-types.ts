import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadKinds } from '../src/catalog/registry.ts';
import { columnSections } from '../src/model/kind/column-sections.ts';
import { kindWords } from '../src/model/kind/kind-words.ts';
import { ENVIRONMENTS } from '../tests/clients/environments.ts';

/** What the explorer is compiled against: the kinds of the program, and the part of the API document that it uses. */

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type ApiDocument = { readonly [name: string]: Json };

const isObject = (value: Json | undefined): value is ApiDocument =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const EXPLORER = join(import.meta.dirname, '../src/explorer');

/** The files that are written here. */
export const EXPLORER_API = {
  kinds: join(EXPLORER, 'api/kinds.json'),
  schema: join(EXPLORER, 'api/schema.ts'),
} as const;

/** The kinds as a file of the explorer has them. */
export const describeKinds = async (): Promise<string> => {
  const { kinds } = await loadKinds();
  const rows = kinds.map((kind) => ({
    type: kind.entityType,
    path: kind.path,
    one: kindWords(kind).one,
    title: kind.title,
    fields: [...kind.fieldNames],
    hasColumns: columnSections(kind).length > 0,
  }));
  return `${JSON.stringify(rows, null, 2)}\n`;
};

const referencesIn = (value: Json | undefined): string[] => {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isObject(value)) return [];
  const own = typeof value['$ref'] === 'string' ? [value['$ref'].split('/').at(-1) ?? ''] : [];
  return [...own, ...Object.values(value).flatMap(referencesIn)];
};

/** Of the document only the named schemas and what they refer to, so that the types stay small enough to be read. */
const reduceDocument = (document: ApiDocument, names: readonly string[]): ApiDocument => {
  const components = document['components'] as { readonly schemas: { readonly [name: string]: Json } };
  const kept = new Map<string, Json>();
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const schema = components.schemas[name];
    if (schema === undefined) throw new Error(`the API document has no schema ${name}`);
    if (kept.has(name)) continue;
    kept.set(name, schema);
    waiting.push(...referencesIn(schema));
  }
  const schemas = Object.fromEntries([...kept].sort(([one], [other]) => (one < other ? -1 : 1)));
  return {
    openapi: document['openapi'] ?? '3.1.0',
    info: { title: 'Tributary', version: '1' },
    paths: {},
    components: { schemas },
  };
};

/** The names of schemas that a source of the explorer uses: `Schemas['Table']`. */
const schemasUsedBy = (source: string): string[] =>
  [...source.matchAll(/Schemas\['(\w+)'\]/g)].map((match) => match[1] ?? '');

const readSources = async (): Promise<string[]> => {
  const names = (await readdir(EXPLORER, { recursive: true })).filter((name) => /\.tsx?$/.test(name));
  const files = names.map((name) => join(EXPLORER, name)).filter((path) => path !== EXPLORER_API.schema);
  return Promise.all(files.map((path) => readFile(path, 'utf8')));
};

/** The types of what the explorer uses of an API document. */
export const generateTypes = async (document: ApiDocument): Promise<string> => {
  const names = new Set((await readSources()).flatMap(schemasUsedBy));
  const tools = await ENVIRONMENTS.apiDocument();
  if ('missing' in tools) throw new Error(tools.missing);
  const work = await mkdtemp(join(tmpdir(), 'tributary-types-'));
  try {
    const [from, to] = [join(work, 'openapi.json'), join(work, 'schema.ts')];
    await writeFile(from, JSON.stringify(reduceDocument(document, [...names])));
    await promisify(execFile)(join(tools.folder, 'node_modules/.bin/openapi-typescript'), [from, '--output', to]);
    return await readFile(to, 'utf8');
  } finally {
    await rm(work, { recursive: true });
  }
};
