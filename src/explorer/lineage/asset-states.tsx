import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { contractAddress } from '../addresses.ts';
import { ask } from '../api/ask.ts';
import type { LineageNode, Schemas } from '../api/types.ts';
import { RefLinks } from '../parts/refs.tsx';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';
import { isoMoment, readableTime } from '../parts/times.ts';
import { FailingTests } from './failing-tests.tsx';
import { contractState, testState } from './states.ts';

/** What stands behind the chips of a record: the tests that do not pass, and how its contract was last judged. */

const ContractFacts = ({ node }: { readonly node: LineageNode }) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['contract in lineage', node.id],
    queryFn: async ({ signal }) => {
      const query = { entity: node.id, fields: 'owners', limit: 1 };
      return (await ask<Schemas['DataContractList']>('/v1/dataContracts', { query, signal })).data[0] ?? null;
    },
  });
  if (error) return <Failure failure={error} again={refetch} />;
  if (data === undefined) return <Waiting what="the contract" />;
  if (data === null) return <Nothing>It has no contract any more.</Nothing>;
  const { latestResult: latest, owners } = data;
  return (
    <>
      {latest?.timestamp !== undefined && (
        <span className="quiet">
          judged <time dateTime={isoMoment(latest.timestamp)}>{readableTime(latest.timestamp)}</time>
        </span>
      )}
      {latest?.message && <p className="quiet">{latest.message}</p>}
      <span className="row">
        <span className="quiet">Owners</span> <RefLinks refs={owners} none="Nobody" />
      </span>
    </>
  );
};

export const AssetStates = ({ node }: { readonly node: LineageNode }) => {
  const test = testState(node);
  const contract = contractState(node);
  return (
    <>
      {test?.tone === 'bad' && (
        <section className="asset-state">
          <h3>{node.testStatus === 'Failed' ? 'Tests that fail' : 'Tests that were aborted'}</h3>
          <FailingTests record={node} />
        </section>
      )}
      {contract && contract.tone !== 'good' && (
        <section className="asset-state">
          <h3>
            <Link href={contractAddress(node.type, node.fullyQualifiedName ?? '')}>Contract</Link> {contract.word}
          </h3>
          <ContractFacts node={node} />
        </section>
      )}
    </>
  );
};
