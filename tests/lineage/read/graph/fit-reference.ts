/** The plainest ways to read answers that fit: what compact answers mean, what `fields` leaves, what groups hold. */

// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
export type Answer = any;

const REFERENCE = ['name', 'fullyQualifiedName', 'displayName', 'description', 'deleted', 'inherited', 'href'];
const DESCRIPTION = ['service', 'owners', 'tier', 'domains'];
const OF_NODES = ['depth', 'contractStatus', 'testStatus', 'columns'];

const chosenIn = (object: Answer, names: readonly string[]): Answer =>
  Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)));

const each = (value: Answer, change: (one: Answer) => Answer): Answer =>
  value === undefined ? undefined : Array.isArray(value) ? value.map(change) : change(value);

/** Replaces members that are there. */
const replace = (object: Answer, changes: Readonly<Record<string, (value: Answer) => Answer>>): Answer => {
  const out = { ...object };
  for (const [name, change] of Object.entries(changes)) if (name in out) out[name] = change(out[name]);
  return out;
};

type Places = {
  /** A reference, and an asset with all that is said of it. */
  readonly reference: (value: Answer) => Answer;
  readonly asset: (value: Answer) => Answer;
  readonly row: (value: Answer) => Answer;
  readonly edge?: (value: Answer) => Answer;
};

const pipelineOf = (edge: Answer, reference: Places['reference']): Answer =>
  replace(edge, { lineageDetails: (details) => replace(details, { pipeline: reference }) });

/** Changes each asset and reference of an answer at its place, whichever operation gave it. */
const changePlaces = (answer: Answer, { reference, asset, row, edge = (one) => one }: Places): Answer => {
  const changeEdge = (one: Answer) => pipelineOf(edge(one), reference);
  const edges = (list: Answer) => list.map(changeEdge);
  const part = (one: Answer) => replace(one, { nodes: (list) => list.map(asset), edges });
  const isImpact = 'affected' in answer;
  return replace(answer, {
    root: isImpact ? asset : reference,
    nodes: (list) => list.map(asset),
    edges,
    affected: (list) => list.map(row),
    paths: (list) => list.map(part),
    added: part,
    removed: part,
    changed: (list) =>
      list.map((one: Answer) => ({
        ...one,
        before: changeEdge(one.before),
        after: changeEdge(one.after),
      })),
  });
};

/** Puts the references of a compact answer back. */
export const expand = ({ entities, ...answer }: Answer): Answer => {
  const reference = (id: string) => chosenIn(entities[id], ['id', 'type', 'hidden', ...REFERENCE]);
  const links = ({ inherits = [], ...object }: Answer): Answer => {
    const link = (id: string) => ({ ...reference(id), ...(inherits.includes(id) ? { inherited: true } : {}) });
    const all = (value: Answer) => each(value, link);
    return replace(object, { service: all, owners: all, domains: all, tests: all });
  };
  return changePlaces(answer, {
    reference,
    asset: (id) => links(entities[id]),
    row: (one) => ({ ...links(one), entity: reference(one.entity), path: one.path.map(reference) }),
  });
};

/** Keeps what `fields` names, in an answer that holds all that they may name. */
export const choose = (answer: Answer, fields: readonly string[]): Answer => {
  const leftOut = [...REFERENCE, ...DESCRIPTION].filter((name) => !fields.includes(name));
  const drop = (object: Answer, names: readonly string[]): Answer =>
    chosenIn(
      object,
      Object.keys(object).filter((name) => !names.includes(name)),
    );
  const reference = (value: Answer) => drop(value, leftOut);
  const links = (object: Answer) => {
    const all = (value: Answer) => each(value, reference);
    return replace(object, { service: all, owners: all, domains: all, tests: all });
  };
  const ofNodes = 'nodes' in answer ? OF_NODES.filter((name) => !fields.includes(name)) : [];
  return changePlaces(answer, {
    reference,
    asset: (value) => links(drop(value, [...leftOut, ...ofNodes])),
    row: (value) => ({
      ...links(drop(value, leftOut)),
      entity: reference(value.entity),
      path: value.path.map(reference),
    }),
  });
};

const same = (value: Answer): Answer => value;

/** Keeps what `edgeFields` names, and counts what a reader may ask for. */
export const chooseOfEdges = (answer: Answer, names: readonly string[]): Answer => {
  const edge = (one: Answer): Answer => {
    const { description, ...rest } = one;
    if (!('lineageDetails' in one)) return one;
    const pairs = one.lineageDetails.columnsLineage.flatMap(({ fromColumns }: Answer) => fromColumns).length;
    return {
      ...rest,
      ...(description !== undefined && names.includes('description') ? { description } : {}),
      ...('sqlQuery' in one.lineageDetails ? { hasSql: true } : {}),
      ...(pairs > 0 ? { columnPairs: pairs } : {}),
      lineageDetails: chosenIn(one.lineageDetails, names),
    };
  };
  return changePlaces(answer, { reference: same, asset: same, row: same, edge });
};

/** The assets of an answer, each once, with what describes them. */
const assetsOf = (answer: Answer): readonly Answer[] => {
  const all: readonly Answer[] = [
    ...(answer.nodes ?? []),
    ...(answer.affected ?? []).map(({ entity, owners, service, domains }: Answer) => ({
      ...entity,
      owners,
      service,
      domains,
    })),
    ...(answer.paths ?? []).flatMap(({ nodes }: Answer) => nodes),
    ...(answer.added?.nodes ?? []),
    ...(answer.removed?.nodes ?? []),
  ];
  return [...new Map(all.map((one) => [one.id, one])).values()];
};

const keysOf = (asset: Answer, by: string): readonly (string | null)[] => {
  if (by === 'type') return [asset.type];
  if (asset.hidden) return [];
  const found = by === 'service' ? [asset.service] : asset[`${by}s`];
  const names = (found ?? []).flatMap((one: Answer) => (one ? [one.fullyQualifiedName] : []));
  return names.length === 0 ? [null] : names;
};

/** The groups of assets as a map, with sorted ids. */
export const groupsOf = (answer: Answer, by: string): Answer => {
  const groups = new Map<string | null, Set<string>>();
  for (const asset of assetsOf(answer)) {
    for (const key of keysOf(asset, by)) groups.set(key, (groups.get(key) ?? new Set()).add(asset.id));
  }
  return [...groups].map(([key, ids]) => ({ key, ids: [...ids].sort() })).sort(byKey);
};

const byKey = (a: Answer, b: Answer): number => (String(a.key) < String(b.key) ? -1 : 1);

/** Groups of an answer in the same form. */
export const plainGroups = (groups: readonly Answer[]): Answer =>
  groups.map(({ key, ids }) => ({ key, ids: [...ids].sort() })).sort(byKey);
