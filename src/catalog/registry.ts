import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { defineKind, type Kind } from '../model/kind/kind.ts';

/** All kinds that the program declares. The catalog knows kinds only through this type. */
export type Registry = {
  readonly kinds: readonly Kind[];
  /** The kind of an entity type, in the spelling of the contract. */
  readonly byType: ReadonlyMap<string, Kind>;
};

const KINDS_FOLDER = join(dirname(fileURLToPath(import.meta.url)), '..', 'kinds');

const isKind = (value: unknown): value is Kind =>
  typeof value === 'object' && value !== null && 'entityType' in value && 'members' in value;

const completeKinds = (kinds: readonly Kind[]): Kind[] =>
  kinds.map((kind) => (kind.completeAmong ? defineKind({ ...kind, ...kind.completeAmong(kinds) }) : kind));

const importKinds = async (): Promise<Kind[]> => {
  const files = (await readdir(KINDS_FOLDER))
    .filter((file) => /\.(ts|js)$/.test(file) && !file.endsWith('.d.ts'))
    .sort();
  const modules = await Promise.all(
    files.map(async (file) => (await import(pathToFileURL(join(KINDS_FOLDER, file)).href)) as Record<string, unknown>),
  );
  return completeKinds(modules.flatMap((module) => Object.values(module).filter(isKind)));
};

const checkUnique = (kinds: readonly Kind[], what: string, key: (kind: Kind) => string) => {
  const seen = new Map<string, string>();
  for (const kind of kinds) {
    const other = seen.get(key(kind));
    if (other) throw new Error(`kinds ${other} and ${kind.entityType} have the same ${what} ${key(kind)}`);
    seen.set(key(kind), kind.entityType);
  }
};

const checkParents = (kinds: readonly Kind[], types: ReadonlySet<string>) => {
  for (const kind of kinds) {
    const missing = kind.parents.find((parent) => !types.has(parent.kind));
    if (missing) throw new Error(`kind ${kind.entityType} has the parent ${missing.kind}, which is not declared`);
  }
};

/** Loads every declaration below `kinds/`. Throws when two declarations clash or a parent is missing. */
export const loadKinds = async (): Promise<Registry> => {
  const kinds = await importKinds();
  checkUnique(kinds, 'entity type', (kind) => kind.entityType.toLowerCase());
  checkUnique(kinds, 'label', (kind) => kind.label);
  checkUnique(kinds, 'path', (kind) => kind.path);
  const byType = new Map(kinds.map((kind) => [kind.entityType, kind]));
  checkParents(kinds, new Set(byType.keys()));
  return { kinds, byType };
};

/** Returns a kind that the program depends on. Throws when no declaration defines it. */
export const requireKind = (registry: Registry, entityType: string): Kind => {
  const kind = registry.byType.get(entityType);
  if (!kind) throw new Error(`there is no kind ${entityType}`);
  return kind;
};
