import type { Engine } from '../catalog/engine.ts';
import { createView, readRequiredBody, YAML_TYPES } from '../catalog/read/answer.ts';
import { parseFields } from '../catalog/read/fields.ts';
import { requireKind } from '../catalog/registry.ts';
import { createSchema } from '../catalog/resolve/candidate.ts';
import * as parameter from '../catalog/routes/parameters.ts';
import * as schema from '../catalog/routes/schemas.ts';
import { notFound } from '../errors.ts';
import type { Answer, Call, QueryParameter, Route } from '../http/route.ts';
import { ContractValidationSchema, DataContractResult } from '../model/schemas/contracts/contract.ts';
import { findPermittedContract, findPermittedSubject, readEffectiveContract } from './contract-access.ts';
import { dryRunContract } from './dry-run.ts';
import { exchangeRoutes } from './exchange/routes.ts';
import { CONTRACT } from './hooks.ts';
import type { OdcsDocuments } from './odcs/texts/documents.ts';
import { contractResultRoutes } from './result-routes.ts';
import { validateContract, validateEntityContract } from './validate.ts';

const VIEW: readonly string[] = ['ViewBasic'];
const EDIT: readonly string[] = ['EditAll'];

const readOne =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const kind = requireKind(engine.registry, CONTRACT);
    const fields = parseFields(kind, call.query.get('fields'));
    const subject = await findPermittedSubject(engine, call, VIEW);
    const { contract } = await readEffectiveContract(engine, subject, createView(engine, call, fields), call.principal);
    if (!contract) throw notFound(`Failed to find a data contract for ${subject.fullyQualifiedName}`);
    return { status: 200, json: contract };
  };

const validate =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const contract = await findPermittedContract(engine, call, EDIT);
    return { status: 200, json: await validateContract(engine, call, contract) };
  };

const validateEntity =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const subject = await findPermittedSubject(engine, call, EDIT);
    return { status: 200, json: await validateEntityContract(engine, call, subject) };
  };

const validateBody =
  (engine: Engine, isYaml: boolean) =>
  async (call: Call): Promise<Answer> => {
    const kind = requireKind(engine.registry, CONTRACT);
    const body = isYaml ? await engine.readYaml(await call.body.text()) : await readRequiredBody(engine, kind, call);
    return { status: 200, json: await dryRunContract(engine, call.principal, body) };
  };

const SUBJECT_PARAMETERS: readonly QueryParameter[] = [
  { name: 'entityId', description: 'ID of the asset', schema: { type: 'string', format: 'uuid' } },
  { name: 'entityType', description: 'Entity type of the asset', schema: { type: 'string' } },
];

/**
 * Routes of data contracts in addition to the operations of every kind (data-contracts.md). This folder holds the
 * write hooks (hooks.ts), evaluation (validate.ts, then evaluate.ts) and stored results (results.ts,
 * result-routes.ts). Read validation/ next for the pure checks, and exchange/ and odcs/ for import and export of ODCS
 * documents.
 */
export const contractRoutes = (engine: Engine, documents: OdcsDocuments): Route[] => {
  const kind = requireKind(engine.registry, CONTRACT);
  const path = `/v1/${kind.path}`;
  const also = 'It is needed on the asset, not on its contract.';
  const reading = { tag: kind.title, access: { operation: 'ViewBasic', resource: CONTRACT } } as const;
  const writing = { tag: kind.title, access: { operation: 'EditAll', resource: CONTRACT } } as const;
  return [
    ...contractResultRoutes(engine),
    ...exchangeRoutes(engine, documents),
    {
      ...reading,
      access: { ...reading.access, also },
      method: 'GET',
      path: `${path}/entity`,
      summary: 'Get the effective data contract of an asset',
      query: [...SUBJECT_PARAMETERS, ...parameter.readParameters],
      responses: { 200: schema.recordSchema(kind) },
      handle: readOne(engine),
    },
    {
      ...writing,
      method: 'POST',
      path: `${path}/{id}/validate`,
      summary: 'Validate a data contract against the current state',
      responses: { 200: DataContractResult },
      isHeavy: true,
      handle: validate(engine),
    },
    {
      ...writing,
      access: { ...writing.access, also },
      method: 'POST',
      path: `${path}/entity/validate`,
      summary: 'Validate the effective data contract of an asset',
      query: SUBJECT_PARAMETERS,
      responses: { 200: DataContractResult },
      isHeavy: true,
      handle: validateEntity(engine),
    },
    ...[false, true].map(
      (isYaml): Route => ({
        tag: kind.title,
        access: 'authenticated',
        method: 'POST',
        path: `${path}/validate${isYaml ? '/yaml' : ''}`,
        summary: `Validate a data contract${isYaml ? ' in YAML' : ''} without storing it`,
        body: {
          schema: createSchema(kind),
          mediaTypes: ['application/json', ...YAML_TYPES, ...(isYaml ? ['text/plain'] : [])],
        },
        responses: { 200: ContractValidationSchema },
        isHeavy: true,
        handle: validateBody(engine, isYaml),
      }),
    ),
  ];
};
