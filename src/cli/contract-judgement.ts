import { StartupError } from '../errors.ts';
import { type AssetPlace, locateAsset, objectOf, openCatalog, textOf } from './catalog-client.ts';
import { TRUNCATED_HEADER, TRUNCATED_NOTE } from './contract-check.ts';
import type { CheckReport, ContractReport, ReportedAsset, ReportedBreak, ReportedRef } from './contract-report.ts';
import { createServiceRequest, type ServiceConnection } from './service-client.ts';

/** Has a running service judge the stored contract of an asset, and names what fails and whom it affects. */

const COMMAND = 'contract check';

/** The judgement of a contract by the service. */
type ContractResult = {
  readonly contractExecutionStatus: string;
  readonly result?: string;
  readonly schemaValidation?: {
    readonly failedFields?: readonly string[];
    readonly duplicateFields?: readonly string[];
    readonly typeMismatchFields?: readonly string[];
  };
  readonly semanticsValidation?: { readonly failedRules?: readonly { ruleName: string; reason: string }[] };
  readonly qualityValidation?: { readonly passed: number; readonly failed: number; readonly total: number };
  readonly slaValidation?: Readonly<Record<string, unknown>>;
};

type StoredContract = ReportedRef & { readonly owners?: readonly ReportedRef[]; readonly testSuite?: { id: string } };

type FailedTest = ReportedRef & { readonly testCaseStatus: string; readonly testCaseResult?: { result?: string } };

/** The part of a contract that fails, named as breaks of contracts name it, and why. */
type FailedClause = { readonly clause: string; readonly reason: string };

const PROMISES = [
  ['refreshFrequencyMet', 'sla.refreshFrequency', 'the data was not refreshed in time'],
  ['latencyMet', 'sla.maxLatency', 'the data comes later than promised'],
  ['availabilityMet', 'sla.availabilityTime', 'the data was not there at the promised time'],
] as const;

const hiddenTests = (count: number): readonly FailedClause[] =>
  count > 0 ? [{ clause: 'quality', reason: `${count} failed tests are not among those that you may see` }] : [];

const failedClauses = (
  { schemaValidation, semanticsValidation, qualityValidation, slaValidation = {} }: ContractResult,
  tests: readonly FailedTest[],
): readonly FailedClause[] => [
  ...(schemaValidation?.failedFields ?? []).map((path) => ({
    clause: `schema.${path}`,
    reason: `the asset has no column ${path}`,
  })),
  ...(schemaValidation?.duplicateFields ?? []).map((path) => ({
    clause: `schema.${path}`,
    reason: `the contract names the column ${path} more than once`,
  })),
  ...(semanticsValidation?.failedRules ?? []).map(({ ruleName, reason }) => ({
    clause: `semantics.${ruleName}`,
    reason,
  })),
  ...tests.map(({ name, testCaseStatus, testCaseResult }) => ({
    clause: `quality.${name}`,
    reason: [`the test is ${testCaseStatus}`, testCaseResult?.result].filter(Boolean).join(': '),
  })),
  ...hiddenTests((qualityValidation?.failed ?? 0) - tests.length),
  ...PROMISES.filter(([flag]) => slaValidation[flag] === false).map(([, clause, reason]) => ({ clause, reason })),
];

const MAX_TESTS = 1000;

const uniqueRefs = (refs: readonly ReportedRef[]): readonly ReportedRef[] => [
  ...new Map(refs.map((ref) => [ref.id, ref])).values(),
];

/** The asset of a contract that was named itself. */
const locateSubject = async (remote: ServiceConnection, fqn: string, type: string | undefined): Promise<AssetPlace> => {
  const catalog = openCatalog(remote, COMMAND);
  const asset = await locateAsset(catalog, fqn, type);
  if (asset.type !== 'dataContract') return asset;
  const entity = objectOf((await catalog.readJson(`dataContracts/${asset.id}`))['entity']);
  return locateAsset(catalog, textOf(entity['fullyQualifiedName']), textOf(entity['type']));
};

const readContract = async (remote: ServiceConnection, { id, type }: AssetPlace) => {
  const catalog = openCatalog(remote, COMMAND);
  const pointer = { entityId: id, entityType: type };
  const contract = (await catalog.readJson('dataContracts/entity', { ...pointer, fields: 'owners' })) as unknown;
  return contract as StoredContract;
};

/** The tests that failed or were aborted, as far as the caller may see them. */
const readFailedTests = async (
  remote: ServiceConnection,
  { testSuite }: StoredContract,
  { qualityValidation }: ContractResult,
): Promise<readonly FailedTest[]> => {
  if (testSuite === undefined || (qualityValidation?.failed ?? 0) === 0) return [];
  const catalog = openCatalog(remote, COMMAND);
  const pages = await Promise.all(
    ['Failed', 'Aborted'].map((testCaseStatus) =>
      catalog.readJson('dataQuality/testCases', {
        testSuiteId: testSuite.id,
        testCaseStatus,
        fields: 'testCaseResult',
        limit: MAX_TESTS,
      }),
    ),
  );
  return pages.flatMap(({ data }) => data as readonly FailedTest[]);
};

type Impact = {
  readonly root: { readonly tests?: readonly ReportedRef[] };
  readonly affected: readonly ReportedAsset[];
};

/** What is made from the asset, and the sentence that says that there is more of it. */
const readImpact = async (remote: ServiceConnection, { type, fqn }: AssetPlace) => {
  const query = new URLSearchParams({ type, fqn });
  const response = await createServiceRequest(remote)(COMMAND, 'GET', `lineage/impact?${query}`);
  const gaps = response.headers.has(TRUNCATED_HEADER) ? [TRUNCATED_NOTE] : [];
  return { impact: (await response.json()) as Impact, gaps };
};

const readOwners = async (remote: ServiceConnection, { collection, id }: AssetPlace) => {
  const { owners } = await openCatalog(remote, COMMAND).readJson(`${collection}/${id}`, { fields: 'owners' });
  return (owners ?? []) as readonly ReportedRef[];
};

const NOTHING: CheckReport['affected'] = { entities: 0, owners: [], tests: [], assets: [] };

/** Everything that is made from the asset, since any of it may rely on what was promised. */
const readAffected = async (remote: ServiceConnection, asset: AssetPlace, contract: StoredContract) => {
  const [{ impact, gaps }, owners] = await Promise.all([readImpact(remote, asset), readOwners(remote, asset)]);
  // An impact tells what a dropped asset would break. Here nothing is dropped, so no contract downstream is broken yet.
  const assets = impact.affected.map((one) => ({
    ...one,
    contracts: one.contracts.map((promised) => ({ ...promised, broken: [] })),
  }));
  const affected: CheckReport['affected'] = {
    entities: assets.length,
    owners: uniqueRefs([...owners, ...(contract.owners ?? []), ...assets.flatMap((one) => one.owners)]),
    tests: uniqueRefs([...(impact.root.tests ?? []), ...assets.flatMap((one) => one.tests)]),
    assets,
  };
  return { affected, gaps };
};

const pendingNote = ({ qualityValidation }: ContractResult): readonly string[] => {
  const { passed, failed, total } = qualityValidation ?? { passed: 0, failed: 0, total: 0 };
  const pending = total - passed - failed;
  return pending > 0 ? [`${pending} of ${total} tests of the contract have no result yet.`] : [];
};

/**
 * Has the contract judged anew and reports on it. When it fails, the report names the owners of the asset, of the
 * contract and of everything that is made from the asset.
 */
export const judgeContract = async (
  remote: ServiceConnection,
  fqn: string,
  type: string | undefined,
): Promise<ContractReport> => {
  const asset = await locateSubject(remote, fqn, type);
  const query = new URLSearchParams({ entityType: asset.type, entityId: asset.id });
  const ask = createServiceRequest(remote);
  const result = (await (
    await ask(COMMAND, 'POST', `dataContracts/entity/validate?${query}`)
  ).json()) as ContractResult;
  if (result.contractExecutionStatus === 'Aborted')
    throw new StartupError(result.result ?? 'The judgement was aborted');
  const contract = await readContract(remote, asset);
  const tests = await readFailedTests(remote, contract, result);
  const named = { id: asset.id, name: fqn, fullyQualifiedName: asset.fqn };
  const breaks: readonly ReportedBreak[] = failedClauses(result, tests).map((failed) => ({
    contract,
    entity: named,
    depth: 0,
    ...failed,
  }));
  const fails = ['Failed', 'PartialSuccess'].includes(result.contractExecutionStatus);
  const remarks = result.schemaValidation?.typeMismatchFields ?? [];
  const base = { verdict: fails ? ('breaks' as const) : ('ok' as const), contract, result, changes: [], breaks };
  const { affected, gaps } = fails ? await readAffected(remote, asset, contract) : { affected: NOTHING, gaps: [] };
  return { subject: asset.fqn, found: { ...base, affected }, gaps: [...gaps, ...pendingNote(result)], remarks };
};
