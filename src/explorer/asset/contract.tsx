import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { assetAddress } from '../addresses.ts';
import { ask } from '../api/ask.ts';
import { fetchContractOf } from '../api/contracts.ts';
import { isMembers, nameAt, textAt } from '../api/members.ts';
import { usePermissions } from '../api/permissions.ts';
import { statusOf } from '../api/tests.ts';
import type { Schemas } from '../api/types.ts';
import { contractOutcome } from '../parts/outcome.ts';
import { ContractOutcome, TestOutcome } from '../parts/outcome-chip.tsx';
import { RichText } from '../parts/rich-text.tsx';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';
import { describeMembers } from './describe-members.ts';
import { describeRule } from './describe-rule.ts';
import { ResultStrip } from './result-strip.tsx';
import { FactList } from './shown-value.tsx';
import { useTests } from './use-tests.ts';

/** The data contract of an asset: its state, its clauses, and how it was judged over time. */

type Contract = Schemas['DataContract'];
type ContractResult = Schemas['DataContractResult'];

const Clause = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section className="clause" aria-label={title}>
    <h3>{title}</h3>
    {children}
  </section>
);

const Columns = ({ contract, broken }: { readonly contract: Contract; readonly broken: ReadonlySet<string> }) => (
  <div className="table-scroll">
    <table className="plain-table">
      <thead>
        <tr>
          <th scope="col">Column</th>
          <th scope="col">Type</th>
          <th scope="col">Description</th>
        </tr>
      </thead>
      <tbody>
        {(contract.schema ?? []).map(({ name, dataTypeDisplay, dataType, description }) => (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code> {broken.has(name) && <span className="chip bad">missing</span>}
            </th>
            <td>{dataTypeDisplay ?? dataType}</td>
            <td>{description}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const Rules = ({ contract, broken }: { readonly contract: Contract; readonly broken: ReadonlyMap<string, string> }) => (
  <ul className="rows rules">
    {(contract.semantics ?? []).map(({ name, description, rule, enabled }) => (
      <li key={name}>
        <div>
          <strong>{name}</strong> {enabled === false && <span className="chip">off</span>}{' '}
          {broken.has(name) && <span className="chip bad">broken</span>}
          <p>{broken.get(name) || description}</p>
          <code>{describeRule(rule)}</code>
        </div>
      </li>
    ))}
  </ul>
);

/** Tests and how they went last; their results are read with those of the table. */
const Expectations = ({ contract: { entity, qualityExpectations = [] } }: { readonly contract: Contract }) => {
  const { data } = useTests(entity?.fullyQualifiedName ?? '', entity?.type === 'table');
  const byId = new Map((data?.data ?? []).map((test) => [test.id, test]));
  return (
    <ul className="rows">
      {qualityExpectations.map((reference) => {
        const test = byId.get(reference.id ?? '');
        return (
          <li key={reference.id}>
            <Link href={assetAddress('testCase', reference.fullyQualifiedName ?? '')}>{nameAt(reference)}</Link>
            {test && <TestOutcome status={statusOf(test)} />}
          </li>
        );
      })}
    </ul>
  );
};

const Terms = ({ terms }: { readonly terms: unknown }) => {
  const text = typeof terms === 'string' ? terms : (textAt(terms, 'content') ?? '');
  return <RichText text={text} />;
};

const Clauses = ({
  contract,
  result,
}: {
  readonly contract: Contract;
  readonly result: ContractResult | undefined;
}) => {
  const { schema = [], semantics = [], qualityExpectations = [], sla, security, termsOfUse } = contract;
  const missing = new Set(result?.schemaValidation?.failedFields ?? []);
  const broken = new Map(
    (result?.semanticsValidation?.failedRules ?? []).map(({ ruleName = '', reason = '' }) => [ruleName, reason]),
  );
  return (
    <div className="stack">
      {schema.length > 0 && (
        <Clause title="Columns that are promised">
          <Columns contract={contract} broken={missing} />
        </Clause>
      )}
      {semantics.length > 0 && (
        <Clause title="Rules for the metadata">
          <Rules contract={contract} broken={broken} />
        </Clause>
      )}
      {qualityExpectations.length > 0 && (
        <Clause title="Tests that have to pass">
          <Expectations contract={contract} />
        </Clause>
      )}
      {isMembers(sla) && (
        <Clause title="Service level">
          <FactList facts={describeMembers(sla)} />
        </Clause>
      )}
      {isMembers(security) && (
        <Clause title="Security">
          <FactList facts={describeMembers(security)} />
        </Clause>
      )}
      {termsOfUse !== undefined && (
        <Clause title="Terms of use">
          <Terms terms={termsOfUse} />
        </Clause>
      )}
    </div>
  );
};

const useResults = ({ id }: Contract) =>
  useQuery({
    queryKey: ['contract results', id],
    queryFn: ({ signal }) =>
      ask<Schemas['DataContractResultList']>(`/v1/dataContracts/${id}/results`, { query: { limit: 60 }, signal }),
  });

/** Judges the contract now. A contract that comes from a data product is judged for this asset. */
const CheckButton = ({ contract }: { readonly contract: Contract }) => {
  const may = usePermissions('dataContract', contract.id);
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => ask(`/v1/dataContracts/${contract.id}/validate`, { method: 'POST' }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['contract results', contract.id] });
      await queries.invalidateQueries({ queryKey: ['contract of'] });
    },
  });
  if (!may('EditAll')) return null;
  return (
    <>
      <button type="button" className="button" disabled={isPending} onClick={() => mutate()}>
        {isPending ? 'Checking …' : 'Check now'}
      </button>
      {error && <Failure failure={error} />}
    </>
  );
};

export const ContractView = ({ contract }: { readonly contract: Contract }) => {
  const { data, error, refetch } = useResults(contract);
  const results = data?.data ?? [];
  const [latest] = results;
  return (
    <div className="stack">
      <div className="row">
        <ContractOutcome status={latest?.contractExecutionStatus ?? contract.latestResult?.status} />
        <CheckButton contract={contract} />
      </div>
      {latest?.result && latest.contractExecutionStatus !== 'Success' && <p className="notice">{latest.result}</p>}
      {error && <Failure failure={error} again={refetch} />}
      <ResultStrip
        label="Results of the contract"
        outcomeOf={contractOutcome}
        results={results.map(({ timestamp, contractExecutionStatus, result }) => ({
          at: timestamp,
          status: contractExecutionStatus,
          text: result,
        }))}
      />
      <Clauses contract={contract} result={latest} />
    </div>
  );
};

export const ContractOf = ({ type, id }: { readonly type: string; readonly id: string }) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['contract of', id],
    queryFn: ({ signal }) => fetchContractOf({ type, id }, signal),
  });
  if (error) return <Failure failure={error} again={refetch} />;
  if (data === undefined) return <Waiting what="the contract" />;
  if (data === null) return <Nothing>This asset has no contract.</Nothing>;
  return (
    <div className="stack">
      <div className="row">
        <h2>
          <Link href={assetAddress('dataContract', data.fullyQualifiedName)}>{nameAt(data)}</Link>
        </h2>
        {data.entityStatus && <span className="chip">{data.entityStatus}</span>}
      </div>
      {data.description && <RichText text={data.description} />}
      <ContractView contract={data} />
    </div>
  );
};
