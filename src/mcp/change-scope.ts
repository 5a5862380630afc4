import { CatalogError } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import { fqnPrefixes } from '../model/name.ts';
import { type Asset, assetPath, findAsset, rowsOf } from './assets.ts';
import type { ToolContext } from './tool.ts';

/** Finds out which assets a question about changes covers. */

type ChangeScope = {
  /** The name below which everything in the scope is, when there is one. */
  readonly fqn: string | undefined;
  /** Whether an asset of this name is in the scope. */
  readonly includes: (type: string, fqn: string) => boolean;
  readonly facts: JsonObject;
  /** The failure by which nothing has the name now. */
  readonly missing?: CatalogError;
};

/** Assets that group others, which keep names of their own. */
const GROUPS: ReadonlySet<string> = new Set(['domain', 'dataProduct', 'team', 'user']);

/** Bounds on what is read of a group. */
const MAX_SUBDOMAINS = 50;
const MAX_MEMBERS = 2000;
const PAGE = 200;

type Members = { readonly names: readonly string[]; readonly total: number };

/** Reads the names of the assets that the caller sees in a group. */
const readMembers = async ({ api }: ToolContext, { path, fqn }: Pick<Asset, 'path' | 'fqn'>): Promise<Members> => {
  const names: string[] = [];
  let total = 1;
  for (let offset = 0; offset < Math.min(total, MAX_MEMBERS); offset += PAGE) {
    const answer = await api.readJson({ path: `${assetPath(path, fqn)}/assets`, query: { offset, limit: PAGE } });
    names.push(...rowsOf(answer['data']).map(({ fullyQualifiedName }) => String(fullyQualifiedName)));
    total = Number((answer['paging'] as JsonObject)['total']);
  }
  return { names, total };
};

/** Reads the names of the domains below a domain, and how many there are. */
const readSubdomains = async ({ api }: ToolContext, { type, path, fqn }: Asset): Promise<Members> => {
  if (type !== 'domain') return { names: [], total: 0 };
  const answer = await api.readJson({ path, query: { parent: fqn, limit: MAX_SUBDOMAINS } });
  const names = rowsOf(answer['data']).map(({ fullyQualifiedName }) => String(fullyQualifiedName));
  return { names, total: Number((answer['paging'] as JsonObject)['total']) };
};

const isBelowOneOf = (scopes: ReadonlySet<string>, fqn: string): boolean =>
  scopes.has(fqn) || fqnPrefixes(fqn).some((prefix) => scopes.has(prefix));

/** The scope of a group: itself, the assets in it and in the domains below it, and everything below these assets. */
const groupScope = async (context: ToolContext, group: Asset): Promise<ChangeScope> => {
  const subdomains = await readSubdomains(context, group);
  const scopes = new Set<string>();
  let total = 0;
  for (const fqn of [group.fqn, ...subdomains.names]) {
    const members = await readMembers(context, { path: group.path, fqn });
    total += members.total;
    for (const name of members.names) if (scopes.size < MAX_MEMBERS) scopes.add(name);
  }
  const groups = new Set([group.fqn, ...subdomains.names]);
  const isCut = total > MAX_MEMBERS || subdomains.total > subdomains.names.length;
  const note = `Only ${scopes.size} of the assets of this ${group.type} were looked at: ask for one of them, or for a smaller scope.`;
  return {
    fqn: undefined,
    // Others may have the name of the group: a service that of a team.
    includes: (type, fqn) => (type === group.type && groups.has(fqn)) || isBelowOneOf(scopes, fqn),
    facts: { assets: total, ...(isCut ? { note } : {}) },
  };
};

const nameScope = (name: string): ChangeScope => ({ fqn: name, includes: () => true, facts: {} });

/** Finds what a name stands for: an asset with everything below it, or the assets of a group. */
export const findChangeScope = async (context: ToolContext, name: string, type?: string): Promise<ChangeScope> => {
  try {
    const asset = await findAsset(context, name, type);
    return GROUPS.has(asset.type) ? await groupScope(context, asset) : nameScope(asset.fqn);
  } catch (failure) {
    if (!(failure instanceof CatalogError && failure.code === 'not_found')) throw failure;
    // Without a type, the name may be that of what is deleted by now.
    const includes = (found: string): boolean => type === undefined || found === type;
    return { ...nameScope(name), includes, missing: failure };
  }
};
