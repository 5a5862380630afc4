import { COLUMN_LABEL, type GraphView } from '../view.ts';

/** Which records a caller may see, as far as a query may meet them. */
export type QueryRights = {
  /** Labels of which the caller sees no record. */
  readonly hidden: readonly string[];
  /** Labels of which each record was judged; the caller sees those with the IDs of the parameter `seen`. */
  readonly judged: readonly string[];
};

export const SEES_ALL: QueryRights = { hidden: [], judged: [] };

/** Writes the conditions that bind every node of a statement to what the caller may see. */
export type VisibleNodes = {
  /** Whether some record may be hidden from the caller. */
  readonly isRestricted: boolean;
  /** The labels to look for, and the conditions on a node with one of them. */
  readonly bind: (
    node: string,
    labels: readonly string[] | null,
  ) => { readonly labels: string; readonly where: string[] };
};

const either = (labels: readonly string[]): string => labels.join('|');

/**
 * The planner weighs every combination of the labels that a statement leaves open, and nothing ends it meanwhile: a few
 * nodes of many kinds would keep it busy for hours. Only as many nodes show it a choice of labels as it can weigh.
 */
const MAX_OPEN = 4;

/** Writes whether a node has one of some labels, so that the planner does not weigh them. */
export const hasOneOf = (node: string, labels: readonly string[]): string =>
  `CASE WHEN ${node}:${either(labels)} THEN true WHEN ${node} IS NULL THEN null ELSE false END`;

/** Writes the conditions for a caller. Deleted records are in the view only when the caller asked for them. */
export const bindVisibleNodes = (view: GraphView, rights: QueryRights, includesDeleted: boolean): VisibleNodes => {
  const everyRecord = new Set(view.recordLabels);
  const isRestricted = rights.hidden.length + rights.judged.length > 0;

  /** Conditions on a record that has one of the labels. */
  const onRecord = (node: string, labels: readonly string[]): string[] => {
    const hidden = rights.hidden.filter((label) => labels.includes(label));
    const judged = rights.judged.filter((label) => labels.includes(label));
    const isSeen = `${node}.id IN $seen`;
    return [
      ...(includesDeleted ? [] : [`${node}.deleted = false`]),
      ...(hidden.length > 0 ? [`NOT ${node}:${either(hidden)}`] : []),
      ...(judged.length === 0
        ? []
        : [judged.length === labels.length ? isSeen : `(NOT ${node}:${either(judged)} OR ${isSeen})`]),
    ];
  };

  /** A column can be seen where the record can be seen whose ID begins its key. */
  const onColumn = (node: string): string => {
    const owner = `owner_${node}`;
    const where = onRecord(owner, view.recordLabels);
    if (where.length === 0) return 'true';
    return `EXISTS { MATCH (${owner}:Entity {id: left(${node}.key, 36)}) WHERE ${where.join(' AND ')} }`;
  };

  let open = 0;

  const bindMixed = (node: string, labels: readonly string[] | null) => {
    const records = labels?.filter((label) => label !== COLUMN_LABEL) ?? null;
    const onOther = onRecord(node, records ?? view.recordLabels).join(' AND ') || 'true';
    const kinds = records === null ? ['Entity'] : records;
    open += 1;
    return {
      labels: open > MAX_OPEN ? '%' : `Entity|${COLUMN_LABEL}`,
      where: [
        `CASE WHEN ${node}:${COLUMN_LABEL} THEN ${onColumn(node)} WHEN ${node}:${either(kinds)} THEN ${onOther} ELSE false END`,
      ],
    };
  };

  const bindRecords = (node: string, labels: readonly string[]) => {
    if (labels.length >= everyRecord.size) return { labels: 'Entity', where: onRecord(node, view.recordLabels) };
    const types = labels.map((label) => `'${view.labels.get(label)?.entityType}'`);
    // The indexes are on all records and begin with the type.
    const isOfType = types.length === 1 ? `= ${types[0]}` : `IN [${types.join(', ')}]`;
    return {
      labels: labels.length === 1 ? `Entity&${labels[0]}` : 'Entity',
      where: [`${node}.entityType ${isOfType}`, ...onRecord(node, labels)],
    };
  };

  return {
    isRestricted,
    bind: (node, labels) => {
      if (labels !== null && labels.length === 0) return { labels: 'Entity', where: ['false'] };
      if (labels?.length === 1 && labels[0] === COLUMN_LABEL) return { labels: COLUMN_LABEL, where: [onColumn(node)] };
      if (labels === null || labels.includes(COLUMN_LABEL)) return bindMixed(node, labels);
      return bindRecords(node, labels);
    },
  };
};
