import type { Engine } from '../catalog/engine.ts';
import { viewFor } from '../catalog/read/answer.ts';
import { parseFields } from '../catalog/read/fields.ts';
import { render } from '../catalog/read/render.ts';
import { sightOf } from '../catalog/read/sight.ts';
import { kindNamed } from '../catalog/registry.ts';
import * as schema from '../catalog/routes/schemas.ts';
import { recordNotFound } from '../errors.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import type { JsonObject } from '../model/json.ts';
import type { Kind } from '../model/kind.ts';
import { AnyJson, FreeForm, listOf, must, shape } from '../model/values.ts';
import { readTeams, type TeamRow } from './queries.ts';

const loggedInUser =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const fields = parseFields(kind, call.query.get('fields'));
    const record = await engine.store.record(kind, { id: call.principal.id }, fields);
    if (!record) throw recordNotFound(kind.entityType, call.principal.name);
    return { status: 200, json: render(record, viewFor(engine, call, fields)) };
  };

type TeamNode = JsonObject & { readonly children: TeamNode[] };

const teamNode = ({ team }: TeamRow): TeamNode => {
  const members = Object.entries(team).filter(([, value]) => value !== null);
  return { ...(Object.fromEntries(members) as JsonObject), children: [] as TeamNode[] } as TeamNode;
};

/** The teams as a forest. A team with several parents appears below each of them. */
const forestOf = (rows: readonly TeamRow[]): TeamNode[] => {
  const nodes = new Map(rows.map((row) => [row.team.id, teamNode(row)]));
  const roots: TeamNode[] = [];
  for (const row of rows) {
    const node = nodes.get(row.team.id);
    if (!node) continue;
    const parents = row.parents.flatMap((id) => nodes.get(id) ?? []);
    if (parents.length === 0) roots.push(node);
    for (const parent of parents) parent.children.push(node);
  }
  return roots;
};

const hierarchy =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const sight = sightOf(engine, call.principal, ['ViewBasic'], kind.entityType);
    const rows = await engine.graph.read(readTeams, {});
    const seen = sight === 'all' ? undefined : await sight(rows.map(({ team }) => team.id));
    const data = forestOf(seen ? rows.filter(({ team }) => seen.has(team.id)) : rows);
    return { status: 200, json: { data, paging: { total: data.length } } };
  };

const Hierarchy = shape('TeamHierarchyList', { data: must(listOf(FreeForm)), paging: must(AnyJson) });

/** What people ask of themselves and of their teams. */
export const peopleRoutes = (engine: Engine): Route[] => {
  const user = kindNamed(engine.registry, 'user');
  const team = kindNamed(engine.registry, 'team');
  return [
    {
      method: 'GET',
      path: `/v1/${user.path}/loggedInUser`,
      summary: 'Read the record of the caller',
      tag: user.title,
      access: 'authenticated',
      query: [{ name: 'fields', description: 'Further members to answer', schema: { type: 'string' } }],
      responses: { 200: schema.record(user) },
      handle: loggedInUser(engine, user),
    },
    {
      method: 'GET',
      path: `/v1/${team.path}/hierarchy`,
      summary: 'Read all teams as a tree',
      tag: team.title,
      access: { operation: 'ViewBasic', resource: team.entityType },
      responses: { 200: Hierarchy },
      handle: hierarchy(engine, team),
    },
  ];
};
