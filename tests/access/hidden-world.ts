import { randomUUID } from 'node:crypto';
import { mapConcurrently } from '../../src/graph/map-concurrently.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { Kind } from '../../src/model/kind/kind.ts';
import type { ParentDeclaration } from '../../src/model/kind/parent.ts';
import { createRightsFactory, type Person } from '../support/rights.ts';
import { type CreatedRecord, createSamples, isPlacing, type Samples } from '../support/samples.ts';
import type { Service } from '../support/service.ts';

/**
 * A catalog in which one record of each kind is hidden from a caller and connected to visible records by every
 * relation. The names and descriptions of hidden records contain a marker that occurs nowhere else.
 */
export type HiddenWorld = {
  readonly marker: string;
  /** How the names of all visible records begin. */
  readonly shown: string;
  /** When the first record was made. */
  readonly since: number;
  readonly caller: Person;
  /** The hidden record of each kind, by type. */
  readonly hidden: ReadonlyMap<string, CreatedRecord>;
  /** A visible record of each kind that refers to hidden ones, by type. */
  readonly visible: ReadonlyMap<string, CreatedRecord>;
  /** Visible records that lie directly below a hidden one, by type. */
  readonly below: ReadonlyMap<string, CreatedRecord>;
  /** What is about a hidden record and hidden with it although nothing else hides it, by type. */
  readonly about: ReadonlyMap<string, CreatedRecord>;
};

type Records = Map<string, CreatedRecord>;

export const get = (records: ReadonlyMap<string, CreatedRecord>, type: string): CreatedRecord => {
  const found = records.get(type);
  if (!found) throw new Error(`the world has no ${type}`);
  return found;
};

/** The parents that a create body names: the required ones, else the last of several. */
const parentsOf = (kind: Kind): readonly ParentDeclaration[] => {
  const offered = kind.parents.filter(isPlacing);
  const required = offered.filter((parent) => parent.required);
  if (required.length > 0) return required;
  return offered.length > 1 ? offered.slice(-1) : [];
};

export const refTo = ({ id }: CreatedRecord, type: string): JsonObject => ({ id, type });

/** What creates a record of a kind below given records. */
const placement = (
  samples: Samples,
  kind: Kind,
  above: (type: string) => CreatedRecord,
  contractEntity: string,
): JsonObject => {
  if (kind.entityType === 'testCase') return { entityLink: `<#E::table::${above('table').fullyQualifiedName}>` };
  if (kind.entityType === 'dataContract') return { entity: refTo(above(contractEntity), contractEntity) };
  return Object.assign(
    {},
    ...parentsOf(kind).map((parent) => samples.placeIn(kind, parent, above(parent.kind))),
  ) as JsonObject;
};

/** The types of which a record of the kind is made. */
const neededTypes = (kind: Kind): readonly string[] => [
  ...parentsOf(kind).map((parent) => parent.kind),
  ...(kind.required?.includes('domains') ? ['domain'] : []),
  ...(kind.entityType === 'dataContract' ? ['table', 'topic'] : []),
  ...(kind.entityType === 'testCase' ? ['table', 'testDefinition'] : []),
];

/** Parents come before their children, and what others are made of comes first. */
const inOrder = (kinds: readonly Kind[]): readonly Kind[] => {
  const done = new Set<string>();
  const order: Kind[] = [];
  const byType = new Map(kinds.map((kind) => [kind.entityType, kind]));
  const visit = (kind: Kind): void => {
    if (done.has(kind.entityType)) return;
    done.add(kind.entityType);
    for (const type of neededTypes(kind)) {
      const above = byType.get(type);
      if (above) visit(above);
    }
    order.push(kind);
  };
  for (const kind of kinds) visit(kind);
  return order;
};

/** By what a record of the kind is hidden: a tag where it can have tags, else its domain, else its owner. */
const hidingMembers = (kind: Kind, { tagFQN, domain, owner }: HidingMeans): JsonObject => {
  if (kind.gatedNames.has('tags')) return { tags: [{ tagFQN, source: 'Classification' }] };
  if (kind.gatedNames.has('domains')) return { domains: [domain] };
  return { owners: [{ id: owner, type: 'user' }] };
};

type HidingMeans = { readonly tagFQN: string; readonly domain: string; readonly owner: string };

const rulesFor = (kinds: readonly Kind[], { tagFQN }: Pick<HidingMeans, 'tagFQN'>) => {
  const typesWhere = (is: (kind: Kind) => boolean) => kinds.filter(is).map(({ entityType }) => entityType);
  const hasTags = (kind: Kind) => kind.gatedNames.has('tags');
  const hasDomains = (kind: Kind) => !hasTags(kind) && kind.gatedNames.has('domains');
  const rule = (resources: string[], condition: string) => ({
    effect: 'deny' as const,
    operations: ['ViewAll'],
    resources,
    condition,
  });
  return [
    rule(typesWhere(hasTags), `matchAnyTag('${tagFQN}')`),
    rule(typesWhere(hasDomains), 'hasDomain()'),
    rule(
      typesWhere((kind) => !hasTags(kind) && !hasDomains(kind)),
      'isOwner()',
    ),
    { effect: 'allow' as const, operations: ['EditAll', 'Create', 'Delete'], resources: ['all'] },
  ];
};

/** All relations of a kind that a patch can set, pointing at hidden and visible records. */
const relationsOf = (kind: Kind, { hidden, visible }: { hidden: Records; visible: Records }): JsonObject => {
  const members: Record<string, JsonObject[] | JsonObject> = {};
  const both = (type: string) => [refTo(get(hidden, type), type), refTo(get(visible, type), type)];
  if (kind.gatedNames.has('owners')) members['owners'] = both('user');
  if (kind.gatedNames.has('domains')) members['domains'] = both('domain');
  if (kind.gatedNames.has('dataProducts')) members['dataProducts'] = both('dataProduct');
  if (kind.gatedNames.has('tags')) {
    const tag = (type: string, records: Records, source: string) => ({
      tagFQN: get(records, type).fullyQualifiedName,
      source,
      labelType: 'Manual',
      state: 'Confirmed',
    });
    members['tags'] = [
      tag('tag', hidden, 'Classification'),
      tag('glossaryTerm', hidden, 'Glossary'),
      tag('tag', visible, 'Classification'),
    ];
  }
  for (const [name, attribute] of Object.entries(kind.members)) {
    if (attribute.store !== 'relation' || attribute.request === undefined) continue;
    if (UNTOUCHED.has(`${kind.entityType}.${name}`)) continue;
    const [type = 'table'] = attribute.kinds;
    if (!attribute.many) members[name] = refTo(get(hidden, type), type);
    else members[name] = type === kind.entityType ? [refTo(get(hidden, type), type)] : both(type);
  }
  return members;
};

/** What a patch may not change, or what would make the record another one. */
const UNTOUCHED: ReadonlySet<string> = new Set([
  'dataContract.entity',
  'team.parents',
  'team.children',
  'bot.botUser',
  'dataProduct.assets',
  'glossaryTerm.relatedTerms',
]);

/** Kinds whose hidden record lies in a visible one of that kind, so that a visible record has a hidden child. */
const NESTED_IN: Readonly<Record<string, string>> = {
  container: 'container',
  directory: 'directory',
  file: 'directory',
};

const AT_ONCE = 8;

/** Makes a record of each kind, several at a time, each behind those that it is made of. The kinds are in that order. */
const createBehindParents = async (kinds: readonly Kind[], create: (kind: Kind) => Promise<void>): Promise<void> => {
  const made = new Map<string, Promise<void>>();
  await mapConcurrently(kinds, AT_ONCE, (kind) => {
    const making = Promise.all(neededTypes(kind).map((type) => made.get(type))).then(() => create(kind));
    made.set(kind.entityType, making);
    return making;
  });
};

export const merge = (client: Person | Service['admin'], path: string, body: JsonObject) =>
  client.patch(path, body, { 'content-type': 'application/merge-patch+json' });

export const makeHiddenWorld = async (service: Service): Promise<HiddenWorld> => {
  const { admin, registry } = service;
  const rights = createRightsFactory(service);
  const samples = createSamples(service);
  const since = Date.now();
  const marker = `zqh${randomUUID().slice(0, 8)}`;
  const shown = `vis${randomUUID().slice(0, 8)}`;
  const kinds = inOrder(registry.kinds);
  const classification = await rights.make('classifications', 'hiding', { description: 'hides' });
  const tag = await rights.make('tags', 'hide', {
    classification: classification.fullyQualifiedName,
    description: 'x',
  });
  const zone = await rights.make('domains', 'zone', { description: 'x', domainType: 'Aggregate' });
  const caller = await rights.person(rulesFor(kinds, { tagFQN: tag.fullyQualifiedName }), {
    domains: [zone.fullyQualifiedName],
  });
  const means = { tagFQN: tag.fullyQualifiedName, domain: zone.fullyQualifiedName, owner: caller.id };
  const visible: Records = new Map();
  const hidden: Records = new Map();
  const below: Records = new Map();
  const about: Records = new Map();
  const extras = (kind: Kind): JsonObject => (kind.entityType === 'user' ? {} : { description: 'seen' });
  const teamType: Record<string, JsonObject> = { team: { teamType: 'Group' } };
  const nesting = (kind: Kind): JsonObject => {
    const outer = kind.parents.find((parent) => parent.kind === NESTED_IN[kind.entityType]);
    return outer ? samples.placeIn(kind, outer, get(visible, outer.kind)) : {};
  };
  await createBehindParents(kinds, async (kind) => {
    const place = placement(samples, kind, (type) => get(visible, type), 'table');
    const needed = kind.required?.includes('domains') ? { domains: [get(visible, 'domain').fullyQualifiedName] } : {};
    const name = `${shown}${kind.entityType.toLowerCase()}`;
    const more = { ...extras(kind), ...place, ...needed, ...teamType[kind.entityType], name };
    visible.set(kind.entityType, await samples.create(kind, more));
  });
  await mapConcurrently(kinds, AT_ONCE, async (kind) => {
    const place = { ...placement(samples, kind, (type) => get(visible, type), 'topic'), ...nesting(kind) };
    const name = `${marker}${kind.entityType.toLowerCase()}`;
    const needed = kind.required?.includes('domains') ? { domains: [get(visible, 'domain').fullyQualifiedName] } : {};
    const named: JsonObject = {
      name,
      displayName: `${marker} shown`,
      description: `${marker} described`,
      ...(kind.entityType === 'user' ? { email: `${name}@example.com` } : {}),
    };
    const more = { ...needed, ...place, ...named, ...teamType[kind.entityType], ...hidingMembers(kind, means) };
    hidden.set(kind.entityType, await samples.create(kind, more as JsonObject));
  });
  await mapConcurrently(kinds, AT_ONCE, async (kind) => {
    const place = () => placement(samples, kind, (type) => get(hidden, type), 'table');
    if (kind.entityType === 'testCase' || kind.entityType === 'dataContract') {
      const named = { name: `${marker}about`, description: `${marker} about` };
      about.set(kind.entityType, await samples.create(kind, { ...place(), ...named }));
      return;
    }
    if (parentsOf(kind).length === 0) return;
    below.set(kind.entityType, await samples.create(kind, { ...extras(kind), ...place(), name: `${shown}below` }));
  });
  const failures: string[] = [];
  await mapConcurrently(kinds, AT_ONCE, async (kind) => {
    const { id } = get(visible, kind.entityType);
    const reply = await merge(admin, `/v1/${kind.path}/${id}`, relationsOf(kind, { hidden, visible }));
    if (reply.status !== 200) failures.push(`${kind.entityType}: ${reply.status} ${reply.text.slice(0, 200)}`);
  });
  if (failures.length > 0) throw new Error(`relations that could not be made:\n${failures.join('\n')}`);
  return { marker, shown, since, caller, hidden, visible, below, about };
};
