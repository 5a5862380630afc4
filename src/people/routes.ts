import type { Engine } from '../catalog/engine.ts';
import { createView } from '../catalog/read/answer.ts';
import { parseFields } from '../catalog/read/fields.ts';
import { renderRecord } from '../catalog/read/render.ts';
import { visibilityOf } from '../catalog/read/visibility.ts';
import { requireKind } from '../catalog/registry.ts';
import * as schema from '../catalog/routes/schemas.ts';
import { recordNotFound } from '../errors.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import type { JsonObject } from '../model/json.ts';
import type { Kind } from '../model/kind/kind.ts';
import { AnyJson, FreeForm, listOf, must, shape } from '../model/values.ts';
import { listTeamHierarchy, type TeamHierarchyRow } from './queries.ts';

const readLoggedInUser =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const fields = parseFields(kind, call.query.get('fields'));
    const record = await engine.store.record(kind, { id: call.principal.id }, fields);
    if (!record) throw recordNotFound(kind.entityType, call.principal.name);
    return { status: 200, json: renderRecord(record, createView(engine, call, fields)) };
  };

type TeamNode = JsonObject & { readonly children: TeamNode[] };

const toTeamNode = ({ team }: TeamHierarchyRow): TeamNode => {
  const members = Object.entries(team).filter(([, value]) => value !== null);
  return { ...(Object.fromEntries(members) as JsonObject), children: [] as TeamNode[] } as TeamNode;
};

/** Builds the forest of teams. A team with several parents appears below each of them. */
const buildTeamForest = (rows: readonly TeamHierarchyRow[]): TeamNode[] => {
  const nodes = new Map(rows.map((row) => [row.team.id, toTeamNode(row)]));
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

const readTeamHierarchy =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const visibility = visibilityOf(engine, call.principal, ['ViewBasic'], kind.entityType);
    const rows = await engine.graph.read(listTeamHierarchy, {});
    const visibleIds = visibility === 'all' ? undefined : await visibility(rows.map(({ team }) => team.id));
    const data = buildTeamForest(visibleIds ? rows.filter(({ team }) => visibleIds.has(team.id)) : rows);
    return { status: 200, json: { data, paging: { total: data.length } } };
  };

const TeamHierarchyList = shape('TeamHierarchyList', { data: must(listOf(FreeForm)), paging: must(AnyJson) });

/** Routes for the logged-in user and for the team hierarchy. */
export const peopleRoutes = (engine: Engine): Route[] => {
  const user = requireKind(engine.registry, 'user');
  const team = requireKind(engine.registry, 'team');
  return [
    {
      method: 'GET',
      path: `/v1/${user.path}/loggedInUser`,
      summary: 'Get the logged-in user',
      tag: user.title,
      access: 'authenticated',
      query: [
        {
          name: 'fields',
          description: 'Comma-separated names of the optional fields to return',
          schema: { type: 'string' },
        },
      ],
      responses: { 200: schema.recordSchema(user) },
      handle: readLoggedInUser(engine, user),
    },
    {
      method: 'GET',
      path: `/v1/${team.path}/hierarchy`,
      summary: 'Get the team hierarchy',
      tag: team.title,
      access: { operation: 'ViewBasic', resource: team.entityType },
      responses: { 200: TeamHierarchyList },
      handle: readTeamHierarchy(engine, team),
    },
  ];
};
