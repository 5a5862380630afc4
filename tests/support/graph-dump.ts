import { createHash } from 'node:crypto';
import type { Driver } from 'neo4j-driver';

/**
 * Dumps a graph in a form that does not depend on database ids: each node by its labels and properties and, in repeated
 * rounds, by its neighbours. Two graphs with the same lines are equal, except for indistinguishable nodes.
 */
export type GraphDump = { readonly nodes: readonly string[]; readonly relationships: readonly string[] };

const ROUNDS = 3;

const digest = (text: string): string => createHash('sha1').update(text).digest('base64');

const shown = (value: unknown): unknown => {
  if (typeof value === 'bigint') return `int ${value}`;
  if (typeof value === 'number') return `float ${Object.is(value, -0) ? '-0' : value}`;
  if (value instanceof Int8Array) return `bytes ${[...value]}`;
  return Array.isArray(value) ? value.map(shown) : value;
};

const textOf = (properties: Record<string, unknown>): string =>
  JSON.stringify(
    Object.keys(properties)
      .sort()
      .map((name) => [name, shown(properties[name])]),
  );

type Joined = { readonly from: string; readonly to: string; readonly text: string };

/**
 * The driver must tell whole numbers from floating ones (`useBigInt`). What only running processes keep is left out, and
 * what the audit log says of backups and restores themselves.
 */
export const dumpGraph = async (driver: Driver): Promise<GraphDump> => {
  const { records: found } = await driver.executeQuery(
    `MATCH (n) WHERE NOT n:Lease AND NOT n:WritePause AND NOT n:SchemaStep AND NOT n:AuditHead
       AND NOT (n:AuditEntry AND n.action IN ['backup', 'restore'])
     RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties`,
  );
  const texts = new Map(
    found.map((row) => [row.get('id') as string, `${[...row.get('labels')].sort()} ${textOf(row.get('properties'))}`]),
  );
  const { records: edges } = await driver.executeQuery(
    `MATCH (a)-[r]->(b) RETURN elementId(a) AS a, elementId(b) AS b, type(r) AS type, properties(r) AS properties`,
  );
  const joined: Joined[] = edges.map((row) => ({
    from: row.get('a') as string,
    to: row.get('b') as string,
    text: `${row.get('type')} ${textOf(row.get('properties'))}`,
  }));
  let colors = new Map([...texts].map(([id, text]) => [id, digest(text)]));
  for (let round = 0; round < ROUNDS; round += 1) {
    const around = new Map<string, string[]>([...colors.keys()].map((id) => [id, []]));
    for (const { from, to, text } of joined) {
      around.get(from)?.push(`> ${text} ${colors.get(to)}`);
      around.get(to)?.push(`< ${text} ${colors.get(from)}`);
    }
    colors = new Map(
      [...colors].map(([id, color]) => [id, digest([color, ...(around.get(id) ?? []).sort()].join('\n'))]),
    );
  }
  return {
    nodes: [...texts].map(([id, text]) => `${text} ${colors.get(id)}`).sort(),
    relationships: joined.map(({ from, to, text }) => `${colors.get(from)} ${text} ${colors.get(to)}`).sort(),
  };
};
