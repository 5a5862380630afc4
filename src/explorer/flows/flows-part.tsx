import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import { assetAddress, columnAddress } from '../addresses.ts';
import { ask } from '../api/ask.ts';
import { KindName } from '../parts/kind-name.tsx';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';
import {
  describeFlow,
  describeFlows,
  FLOW_TARGETS,
  type FlowRow,
  type Flows,
  type FlowTargets,
  findFlowTargets,
} from './flow-words.ts';
import './flows.css';

const PAGE = 100;

const useFlows = (tag: string, targets: FlowTargets, isLeaving: boolean) =>
  useInfiniteQuery({
    queryKey: ['label flows', tag, targets.name, isLeaving],
    queryFn: ({ pageParam, signal }) =>
      ask<Flows>('/v1/lineage/flows', {
        query: {
          tag,
          toTypes: targets.types,
          leaves: isLeaving ? 'domain' : undefined,
          limit: PAGE,
          after: pageParam,
        },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ paging }) => paging.after,
  });

const FlowLine = ({ flow }: { readonly flow: FlowRow }) => {
  const { source, target, path, certain } = flow;
  const [type, owner] = [source.entity.type ?? '', source.entity.fullyQualifiedName ?? ''];
  return (
    <li className="flow-line">
      <div>
        <Link href={assetAddress(target.type ?? '', target.fullyQualifiedName ?? '')}>
          {target.displayName ?? target.name}
        </Link>{' '}
        <KindName type={target.type ?? ''} /> <span className="quiet">gets</span>{' '}
        <Link href={columnAddress(type, owner, source.fullyQualifiedName)}>{source.fullyQualifiedName}</Link>
        <details className="flow-way">
          <summary>{describeFlow(flow)}</summary>
          <ol>
            {path.map((fqn) => (
              <li key={fqn}>{fqn}</li>
            ))}
          </ol>
        </details>
      </div>
      {!certain && (
        <span className="chip warn" title="On the way, an edge does not say which columns it carries">
          maybe
        </span>
      )}
    </li>
  );
};

type ChoiceProps = {
  readonly targets: FlowTargets;
  readonly isLeaving: boolean;
  readonly onChange: (name: 'to' | 'leaves', value: string | undefined) => void;
};

const Choice = ({ targets, isLeaving, onChange }: ChoiceProps) => (
  <fieldset className="flow-choice">
    <legend className="visually-hidden">Where to</legend>
    {FLOW_TARGETS.map(({ name, title }) => (
      <button
        key={name}
        type="button"
        className="button"
        aria-pressed={name === targets.name}
        onClick={() => onChange('to', name)}
      >
        {title}
      </button>
    ))}
    <label>
      <input
        type="checkbox"
        checked={isLeaving}
        onChange={({ target }) => onChange('leaves', target.checked ? 'domain' : undefined)}
      />{' '}
      in another domain
    </label>
  </fieldset>
);

/** Where the columns with a tag flow: what gets them, by which way, and how certain that is. */
export const FlowsPart = ({ tag }: { readonly tag: string }) => {
  const [params, setParams] = useSearchParams();
  const targets = findFlowTargets(params.get('to'));
  const isLeaving = params.get('leaves') === 'domain';
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useFlows(tag, targets, isLeaving);
  const [first] = data?.pages ?? [];
  const change: ChoiceProps['onChange'] = (name, value) =>
    setParams(
      (former) => {
        const next = new URLSearchParams(former);
        if (value === undefined) next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  return (
    <section className="card stack" aria-label="Where it flows">
      <h2>Where it flows</h2>
      <Choice targets={targets} isLeaving={isLeaving} onChange={change} />
      {error && <Failure failure={error} again={refetch} />}
      {!first && !error && <Waiting what="the flows" />}
      {first?.paging.truncated && (
        <p className="notice">There is too much lineage to look at all of it: these are not all flows.</p>
      )}
      {first && first.data.length > 0 && <p className="quiet">{describeFlows(first.summary)}</p>}
      {first && first.data.length === 0 && <Nothing>No column with this tag gets there.</Nothing>}
      <ul className="flow-list">
        {data?.pages
          .flatMap((page) => page.data)
          .map((flow) => (
            <FlowLine key={`${flow.source.fullyQualifiedName} ${flow.target.id}`} flow={flow} />
          ))}
      </ul>
      {hasNextPage && (
        <button type="button" className="button" disabled={isFetchingNextPage} onClick={() => fetchNextPage()}>
          More
        </button>
      )}
    </section>
  );
};
