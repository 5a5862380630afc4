import type { JsonObject } from '../../src/model/json.ts';
import { ok } from './expect.ts';
import { type Client, type Service, uniqueName } from './service.ts';

/** Creates people with given rules, roles and policies for tests. */

/** A rule as a test writes it; omitted members have defaults. */
export type RuleOptions = {
  readonly effect?: 'allow' | 'deny';
  readonly operations: readonly string[];
  readonly resources?: readonly string[];
  readonly condition?: string;
};

type Made = { readonly id: string; readonly name: string; readonly fullyQualifiedName: string };

export type Person = Client & { readonly id: string; readonly name: string };

const ruleOf = ({ effect = 'allow', operations, resources = ['all'], condition }: RuleOptions, at: number) => ({
  name: `rule${at}`,
  effect,
  operations,
  resources,
  ...(condition === undefined ? {} : { condition }),
});

/** Makes policies, roles, teams and people who have them, all with names of their own. */
export const createRightsFactory = (service: Service) => {
  const { admin } = service;
  const make = async (path: string, prefix: string, body: JsonObject): Promise<Made> =>
    ok(await admin.post(`/v1/${path}`, { name: uniqueName(prefix), ...body }), 201);

  const policy = (...rules: RuleOptions[]): Promise<Made> =>
    make('policies', 'pol', { rules: rules.map(ruleOf) as unknown as JsonObject });

  const role = async (...rules: RuleOptions[]): Promise<Made> =>
    make('roles', 'role', { policies: [(await policy(...rules)).name] });

  const teams: string[] = [];
  const team = async (body: JsonObject = {}): Promise<Made> => {
    const made = await make('teams', 'team', { teamType: 'Group', ...body });
    teams.push(made.id);
    return made;
  };

  /** Takes the teams away again: what hangs on them may concern everybody, since records are looked at for their owners. */
  const clear = async (): Promise<void> => {
    for (const id of teams.splice(0)) {
      const reply = await admin.delete(`/v1/teams/${id}?recursive=true&hardDelete=true`);
      // It may have been removed below another one, or by the test.
      if (reply.status !== 404) ok(reply);
    }
  };

  /** Somebody with one role of these rules, if there are any, beside what everybody has. */
  const person = async (rules: readonly RuleOptions[] = [], body: JsonObject = {}): Promise<Person> => {
    const name = uniqueName('usr');
    const roles = rules.length === 0 ? [] : [(await role(...rules)).id];
    const made = ok(await admin.post('/v1/users', { name, email: `${name}@example.com`, roles, ...body }), 201);
    return { ...(await service.as(name, { isBot: body['isBot'] === true })), id: made.id, name };
  };

  return { make, policy, role, team, person, clear };
};

export type RightsFactory = ReturnType<typeof createRightsFactory>;

/** The id of a new role that allows these operations on everything. */
export const createRoleFor = async (service: Service, ...operations: readonly string[]): Promise<string> =>
  (await createRightsFactory(service).role({ operations })).id;
