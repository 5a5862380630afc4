import { MAX_LIMIT, parseLimit } from '../catalog/read/list.ts';
import type { Registry } from '../catalog/registry.ts';
import { valueListSchema } from '../catalog/routes/schemas.ts';
import { recordNotFound } from '../errors.ts';
import { AFTER_PARAMETER, limitParameter } from '../http/query-parameters.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { decodeCursor, encodeCursor, sortKeyOf } from '../model/cursor.ts';
import { Flag, listOf, must, Num, oneOf, shape, Text, Timestamp, Uuid } from '../model/values.ts';
import { type ConnectionDefinition, listConnectionDefinitions } from './definitions.ts';

/** Routes for the definitions by which connectors test the connection of a service. */

const TYPE_NAME = 'testConnectionDefinition';

const Definition = shape('TestConnectionDefinition', {
  id: must(Uuid),
  name: must(Text),
  fullyQualifiedName: must(Text),
  displayName: must(Text),
  description: must(Text),
  steps: must(
    listOf(
      shape('TestConnectionStep', {
        name: must(Text),
        description: must(Text),
        errorMessage: must(Text),
        mandatory: must(Flag),
        shortCircuit: must(Flag),
        category: must(oneOf(['ConnectionGate', 'Capability'])),
      }),
    ),
  ),
  version: must(Num),
  updatedAt: must(Timestamp),
  updatedBy: must(Text),
  href: must(Text),
  deleted: must(Flag),
});

const DEFAULT_LIMIT = 10;

const sortKey = ({ name, id }: ConnectionDefinition): string => sortKeyOf(name, id);

export const connectionRoutes = ({ kinds }: Registry, startedAt: number): Route[] => {
  const definitions = listConnectionDefinitions(kinds);
  const path = '/v1/services/testConnectionDefinitions';
  const render = (definition: ConnectionDefinition, { hrefBase }: Call) => ({
    ...definition,
    version: 0.1,
    updatedAt: startedAt,
    updatedBy: 'system',
    href: `${hrefBase}${path}/${definition.id}`,
    deleted: false,
  });
  const list = async (call: Call): Promise<Answer> => {
    const limit = parseLimit(call.query.get('limit'), DEFAULT_LIMIT);
    const after = call.query.get('after');
    const from = after ? decodeCursor(after) : '';
    const rest = definitions.filter((definition) => sortKey(definition) > from);
    const page = rest.slice(0, limit);
    const last = page.at(-1);
    const paging = {
      ...(last && rest.length > limit ? { after: encodeCursor(sortKey(last)) } : {}),
      total: definitions.length,
    };
    return { status: 200, json: { data: page.map((definition) => render(definition, call)), paging } };
  };
  const find =
    (isIt: (definition: ConnectionDefinition, key: string) => boolean) =>
    async (call: Call): Promise<Answer> => {
      const key = call.params['id'] ?? call.params['fqn'] ?? '';
      const found = definitions.find((definition) => isIt(definition, key));
      if (!found) throw recordNotFound(TYPE_NAME, key);
      return { status: 200, json: render(found, call) };
    };
  const route = (rest: Pick<Route, 'path' | 'summary' | 'query' | 'responses' | 'handle'>): Route => ({
    method: 'GET',
    tag: 'System',
    access: 'authenticated',
    ...rest,
  });
  return [
    route({
      path,
      summary: 'List what connectors try when they test connections',
      query: [limitParameter('definitions', 0, MAX_LIMIT, DEFAULT_LIMIT), AFTER_PARAMETER],
      responses: { 200: valueListSchema('TestConnectionDefinitionList', Definition) },
      handle: list,
    }),
    route({
      path: `${path}/{id}`,
      summary: 'Get what connectors of a type try, by id',
      responses: { 200: Definition },
      handle: find(({ id }, key) => id === key.toLowerCase()),
    }),
    route({
      path: `${path}/name/{fqn}`,
      summary: 'Get what connectors of a type try, by name',
      responses: { 200: Definition },
      handle: find(({ name, fullyQualifiedName }, key) => [name, fullyQualifiedName].includes(key)),
    }),
  ];
};
