import { readTypeText } from '../impact/declared-columns.ts';
import type { JsonObject } from '../model/json.ts';
import { joinFqn } from '../model/name.ts';
import { type DbtArtifacts, memberEntries, memberObject, memberText, memberTexts } from './artifacts.ts';

/** The tables and views of a dbt project: its models, seeds, snapshots and sources. */

export type DbtColumn = {
  readonly name: string;
  readonly type: JsonObject;
  readonly description: string | undefined;
  readonly tags: readonly string[];
};

/** Names, e-mail addresses or teams, as the project writes them. */
export type DbtOwners = {
  readonly named: readonly string[];
  /** The name that stands beside the addresses, for when nobody has one of these. */
  readonly otherwise: string | undefined;
};

export type DbtRelation = {
  readonly uniqueId: string;
  readonly database: string;
  readonly schema: string;
  readonly name: string;
  /** The full name below a service. */
  readonly fqn: string;
  readonly isView: boolean;
  readonly description: string | undefined;
  readonly columns: readonly DbtColumn[];
  readonly tags: readonly string[];
  readonly tier: string | undefined;
  readonly owners: DbtOwners;
  /** What says how the table is made; sources are made elsewhere. */
  readonly node: JsonObject | undefined;
};

const MADE_BY_DBT = ['model', 'seed', 'snapshot'];

const UNKNOWN_TYPE: JsonObject = { dataType: 'UNKNOWN' };

/** Types of the catalog have no blanks outside their brackets: `character varying(20)` is `CHARACTERVARYING(20)`. */
const readType = (text: string | undefined): JsonObject =>
  text === undefined
    ? UNKNOWN_TYPE
    : { ...readTypeText(text.toUpperCase().replace(/\s+(?![^(<]*[)>])/g, '')), dataTypeDisplay: text };

export const tagsOf = (node: JsonObject): readonly string[] => [
  ...new Set([...memberTexts(node, 'tags'), ...memberTexts(memberObject(node, 'config'), 'tags')]),
];

/** Columns in the order of the database where dbt asked it, with what the project says of them. */
const readColumns = (node: JsonObject, known: JsonObject): readonly DbtColumn[] => {
  const said = new Map(
    memberEntries(node, 'columns').map(([key, column]) => {
      const name = memberText(column, 'name') ?? key;
      return [name.toLowerCase(), { name, column }];
    }),
  );
  const found = memberEntries(known, 'columns')
    .map(([key, column]) => ({ name: memberText(column, 'name') ?? key, column }))
    .sort((one, other) => Number(one.column['index']) - Number(other.column['index']));
  const names = found.length > 0 ? found : [...said.values()];
  return names.map(({ name, column }) => {
    const told = said.get(name.toLowerCase())?.column ?? {};
    return {
      name,
      type: readType(memberText(column, 'type') ?? memberText(told, 'data_type')),
      description: memberText(told, 'description') ?? memberText(column, 'comment'),
      tags: tagsOf(told),
    };
  });
};

/** What the project keeps with a node for other programs. */
export const metaOf = (node: JsonObject): JsonObject => ({
  ...memberObject(memberObject(node, 'config'), 'meta'),
  ...memberObject(node, 'meta'),
});

/** What the member `owner` of a group or of an exposure says: addresses, one or a list, and a name. */
export const readOwner = (holder: JsonObject): DbtOwners => {
  const owner = memberObject(holder, 'owner');
  const [addresses, name] = [memberTexts(owner, 'email'), memberText(owner, 'name')];
  if (addresses.length > 0) return { named: [...new Set(addresses)], otherwise: name };
  return { named: name === undefined ? [] : [name], otherwise: undefined };
};

/** Creates the reader of the owner that a node's own `meta` names, or else that of its group. */
export const createOwnersReader = (manifest: JsonObject) => {
  const groups = new Map(
    memberEntries(manifest, 'groups').map(([, group]) => [memberText(group, 'name') ?? '', group]),
  );
  return (node: JsonObject): DbtOwners => {
    const meta = metaOf(node);
    const named = [...memberTexts(memberObject(meta, 'openmetadata'), 'owner'), ...memberTexts(meta, 'owner')];
    if (named.length > 0) return { named: [...new Set(named)], otherwise: undefined };
    const group = memberText(node, 'group') ?? memberText(memberObject(node, 'config'), 'group');
    return readOwner(groups.get(group ?? '') ?? {});
  };
};

const VIEWS = new Set(['VIEW', 'view']);

type Names = { readonly database: string; readonly schema: string; readonly name: string };

/** Databases that have none between the server and its schemas get one of this name, as connectors do. */
const DEFAULT_DATABASE = 'default';

/** The database's own spelling where the catalog file has it: warehouses fold names that dbt does not. */
const namesOf = (node: JsonObject, known: JsonObject): Names | undefined => {
  const metadata = memberObject(known, 'metadata');
  const schema = memberText(metadata, 'schema') ?? memberText(node, 'schema');
  const name =
    memberText(metadata, 'name') ??
    memberText(node, 'identifier') ??
    memberText(node, 'alias') ??
    memberText(node, 'name');
  if (schema === undefined || name === undefined) return undefined;
  return {
    database: memberText(metadata, 'database') ?? memberText(node, 'database') ?? DEFAULT_DATABASE,
    schema,
    name,
  };
};

const isStored = (node: JsonObject): boolean =>
  MADE_BY_DBT.includes(memberText(node, 'resource_type') ?? '') &&
  memberText(memberObject(node, 'config'), 'materialized') !== 'ephemeral' &&
  memberObject(node, 'config')['enabled'] !== false;

/** Every relation of the project in the database, by the order of the manifest. */
export const readRelations = ({ manifest, catalog = {} }: DbtArtifacts): readonly DbtRelation[] => {
  const ownersOf = createOwnersReader(manifest);
  const described = [
    ...memberEntries(manifest, 'nodes').filter(([, node]) => isStored(node)),
    ...memberEntries(manifest, 'sources'),
  ];
  return described.flatMap(([uniqueId, node]) => {
    const isSource = memberText(node, 'resource_type') === 'source';
    const known = memberObject(memberObject(catalog, isSource ? 'sources' : 'nodes'), uniqueId);
    const names = namesOf(node, known);
    if (names === undefined) return [];
    const kept =
      memberText(memberObject(known, 'metadata'), 'type') ??
      memberText(memberObject(node, 'config'), 'materialized') ??
      '';
    const database = joinFqn(undefined, names.database);
    return [
      {
        uniqueId,
        ...names,
        fqn: joinFqn(joinFqn(database, names.schema), names.name),
        isView: VIEWS.has(kept),
        description: memberText(node, 'description') ?? memberText(memberObject(known, 'metadata'), 'comment'),
        columns: readColumns(node, known),
        tags: tagsOf(node),
        tier: memberText(memberObject(metaOf(node), 'openmetadata'), 'tier'),
        owners: ownersOf(node),
        node: isSource ? undefined : node,
      },
    ];
  });
};
