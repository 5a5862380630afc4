import { createSchema } from '../catalog/desire/candidate.ts';
import type { Engine } from '../catalog/engine.ts';
import { requiredBody, viewFor, YAML_TYPES } from '../catalog/read/answer.ts';
import { parseFields } from '../catalog/read/fields.ts';
import { kindNamed } from '../catalog/registry.ts';
import * as parameter from '../catalog/routes/parameters.ts';
import * as schema from '../catalog/routes/schemas.ts';
import { notFound } from '../errors.ts';
import type { Answer, Call, QueryParameter, Route } from '../http/route.ts';
import { ContractValidation, DataContractResult } from '../model/contract-values.ts';
import { dryRun } from './dry-run.ts';
import { exchangeRoutes } from './exchange/routes.ts';
import type { Documents } from './odcs/documents.ts';
import { permittedContract, permittedSubject, readEffective } from './reading.ts';
import { resultRoutes } from './result-routes.ts';
import { CONTRACT } from './steward.ts';
import { validateContract, validateSubject } from './validate.ts';

const VIEW: readonly string[] = ['ViewBasic'];
const EDIT: readonly string[] = ['EditAll'];

const readOne =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const kind = kindNamed(engine.registry, CONTRACT);
    const fields = parseFields(kind, call.query.get('fields'));
    const subject = await permittedSubject(engine, call, VIEW);
    const { contract } = await readEffective(engine, subject, viewFor(engine, call, fields), call.principal);
    if (!contract) throw notFound(`Failed to find a data contract for ${subject.fullyQualifiedName}`);
    return { status: 200, json: contract };
  };

const validate =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const contract = await permittedContract(engine, call, EDIT);
    return { status: 200, json: await validateContract(engine, call, contract) };
  };

const validateOf =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const subject = await permittedSubject(engine, call, EDIT);
    return { status: 200, json: await validateSubject(engine, call, subject) };
  };

const validateBody =
  (engine: Engine, isYaml: boolean) =>
  async (call: Call): Promise<Answer> => {
    const kind = kindNamed(engine.registry, CONTRACT);
    const body = isYaml ? await engine.readYaml(await call.body.text()) : await requiredBody(engine, kind, call);
    return { status: 200, json: await dryRun(engine, call.principal, body) };
  };

const about: readonly QueryParameter[] = [
  { name: 'entityId', description: 'The id of the record', schema: { type: 'string', format: 'uuid' } },
  { name: 'entityType', description: 'The type of the record', schema: { type: 'string' } },
];

/** What data contracts have beside the operations of all kinds (data-contracts.md). */
export const contractRoutes = (engine: Engine, documents: Documents): Route[] => {
  const kind = kindNamed(engine.registry, CONTRACT);
  const path = `/v1/${kind.path}`;
  const also = 'It is asked of the record, not of its contract.';
  const reading = { tag: kind.title, access: { operation: 'ViewBasic', resource: CONTRACT } } as const;
  const writing = { tag: kind.title, access: { operation: 'EditAll', resource: CONTRACT } } as const;
  return [
    ...resultRoutes(engine),
    ...exchangeRoutes(engine, documents),
    {
      ...reading,
      access: { ...reading.access, also },
      method: 'GET',
      path: `${path}/entity`,
      summary: 'Read the contract that holds for a record',
      query: [...about, ...parameter.readOne],
      responses: { 200: schema.record(kind) },
      handle: readOne(engine),
    },
    {
      ...writing,
      method: 'POST',
      path: `${path}/{id}/validate`,
      summary: 'Judge a contract by what is known now',
      responses: { 200: DataContractResult },
      isHeavy: true,
      handle: validate(engine),
    },
    {
      ...writing,
      access: { ...writing.access, also },
      method: 'POST',
      path: `${path}/entity/validate`,
      summary: 'Judge the contract that holds for a record by what is known now',
      query: about,
      responses: { 200: DataContractResult },
      isHeavy: true,
      handle: validateOf(engine),
    },
    ...[false, true].map(
      (isYaml): Route => ({
        tag: kind.title,
        access: 'authenticated',
        method: 'POST',
        path: `${path}/validate${isYaml ? '/yaml' : ''}`,
        summary: 'Say what speaks against a contract, without storing it',
        body: {
          schema: createSchema(kind),
          mediaTypes: ['application/json', ...YAML_TYPES, ...(isYaml ? ['text/plain'] : [])],
        },
        responses: { 200: ContractValidation },
        isHeavy: true,
        handle: validateBody(engine, isYaml),
      }),
    ),
  ];
};
