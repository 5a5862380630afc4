import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useSearchParams } from 'wouter';
import { agreementAddress } from '../addresses.ts';
import { ask } from '../api/ask.ts';
import { search } from '../api/search.ts';
import type { Schemas } from '../api/types.ts';
import { Coverage } from '../health/coverage.tsx';
import { Cycles, DanglingColumns, Orphans, UnconfirmedEdges, UnownedHubs } from '../health/findings.tsx';
import {
  type HealthChoice,
  MANY_FINDINGS,
  readHealthChoice,
  STALE_DAYS,
  scopeQuery,
  staleSince,
  writeHealthChoice,
} from '../health/health-choice.ts';
import { ScopeChooser } from '../health/scope-chooser.tsx';
import { Failure, Waiting } from '../parts/states.tsx';
import './health.css';

type Health = Schemas['LineageHealth'];

const useHealth = ({ scope, staleDays, limit }: HealthChoice) =>
  useQuery({
    queryKey: ['lineage health', scope, staleDays, limit],
    queryFn: ({ signal }) =>
      ask<Health>('/v1/lineage/health', {
        query: { scope, limit, olderThan: staleSince(staleDays, Date.now()) },
        signal,
      }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

/** The sorts of findings: what each is called, what it means, and how it is listed. */
const SECTIONS: readonly {
  readonly name: keyof Omit<Health, 'truncated'>;
  readonly title: string;
  readonly meaning: string;
  readonly good: string;
  readonly list: (health: Health) => ReactNode;
}[] = [
  {
    name: 'danglingColumns',
    title: 'Columns that are gone',
    meaning: 'An edge names them, but their table has them no longer: what is derived from them is likely broken.',
    good: 'Every column that an edge names exists.',
    list: ({ danglingColumns }) => <DanglingColumns columns={danglingColumns} />,
  },
  {
    name: 'unownedHubs',
    title: 'Hubs without an owner',
    meaning: 'Much depends on them, and nobody answers for them.',
    good: 'Whatever much depends on has an owner.',
    list: ({ unownedHubs }) => <UnownedHubs hubs={unownedHubs} />,
  },
  {
    name: 'cycles',
    title: 'Cycles',
    meaning: 'Assets that feed each other in a circle, so that nothing says which comes first.',
    good: 'Nothing feeds itself by way of others.',
    list: ({ cycles }) => <Cycles cycles={cycles} />,
  },
  {
    name: 'unconfirmedEdges',
    title: 'Edges that were not confirmed',
    meaning: 'No source has stated them for a while; the flow may have ended.',
    good: 'All edges were confirmed lately.',
    list: ({ unconfirmedEdges }) => <UnconfirmedEdges edges={unconfirmedEdges} />,
  },
  {
    name: 'orphans',
    title: 'Assets without lineage',
    meaning: 'Nothing is known to feed them, and nothing to read them.',
    good: 'Everything is connected.',
    list: ({ orphans }) => <Orphans orphans={orphans} />,
  },
];

const countText = (health: Health, name: keyof Omit<Health, 'truncated'>): string =>
  `${health[name].length.toLocaleString()}${health.truncated.includes(name) ? '+' : ''}`;

const Tiles = ({ health }: { readonly health: Health }) => (
  <ul className="tiles" aria-label="Findings">
    {SECTIONS.map(({ name, title }) => (
      <li key={name}>
        {health[name].length === 0 ? (
          <span className="tile good">
            <strong>0</strong> {title}
          </span>
        ) : (
          <a className="tile" href={`#${name}`}>
            <strong>{countText(health, name)}</strong> {title}
          </a>
        )}
      </li>
    ))}
  </ul>
);

type SectionsProps = { readonly health: Health; readonly limit: number; readonly onAll: () => void };

/** What is in order takes one line each. */
const InOrder = ({ health }: { readonly health: Health }) => {
  const good = SECTIONS.filter(({ name }) => health[name].length === 0);
  if (good.length === 0) return null;
  return (
    <section className="card stack" aria-labelledby="in-order">
      <h2 id="in-order">In order</h2>
      <ul className="in-order">
        {good.map((section) => (
          <li key={section.name}>{section.good}</li>
        ))}
      </ul>
    </section>
  );
};

const Sections = ({ health, limit, onAll }: SectionsProps) =>
  SECTIONS.filter(({ name }) => health[name].length > 0).map(({ name, title, meaning, list }) => (
    <section key={name} id={name} className="card stack" aria-labelledby={`${name}-title`}>
      <div>
        <h2 id={`${name}-title`}>
          {title} <span className="quiet">{countText(health, name)}</span>
        </h2>
        <p className="quiet">{meaning}</p>
      </div>
      {list(health)}
      {health.truncated.includes(name) && (
        <p className="notice row">
          There are more than these {health[name].length.toLocaleString()}.
          {limit < MANY_FINDINGS && (
            <button type="button" className="button" onClick={onAll}>
              List up to {MANY_FINDINGS.toLocaleString()}
            </button>
          )}
          {limit >= MANY_FINDINGS && ' Check a smaller part of the catalog to see the others.'}
        </p>
      )}
    </section>
  ));

type ChoiceProps = { readonly choice: HealthChoice; readonly change: (part: Partial<HealthChoice>) => void };

const Tools = ({ choice, change }: ChoiceProps) => (
  <div className="health-tools">
    <ScopeChooser scope={choice.scope} onScope={(scope) => change({ scope })} />
    <label className="field">
      Edges not confirmed for
      <select value={choice.staleDays} onChange={({ target }) => change({ staleDays: Number(target.value) })}>
        {STALE_DAYS.map((days) => (
          <option key={days} value={days}>
            {days} days
          </option>
        ))}
      </select>
    </label>
  </div>
);

/** Whether a scope names nothing at all, so that nothing can be said of it. */
const useIsNowhere = (scope: string | undefined): boolean => {
  const { data } = useQuery({
    queryKey: ['records in', scope],
    queryFn: ({ signal }) => search({ text: scopeQuery(scope), size: 0 }, signal),
    enabled: scope !== undefined,
  });
  return data?.total === 0;
};

/** What is wrong with the catalog, and where. */
export const HealthPage = () => {
  const [params, setParams] = useSearchParams();
  const choice = readHealthChoice(params);
  const change = (part: Partial<HealthChoice>) =>
    setParams((former) => writeHealthChoice({ ...readHealthChoice(former), ...part }));
  const { data, error, refetch, isPlaceholderData } = useHealth(choice);
  const isNowhere = useIsNowhere(choice.scope);
  return (
    <div className="page stack health">
      <div>
        <h1>Catalog health</h1>
        <p className="quiet">What to mend first in {choice.scope ?? 'the whole catalog'}.</p>
        <Link href={agreementAddress(choice.scope)}>Declared and observed lineage</Link>
      </div>
      <Tools choice={choice} change={change} />
      {error && <Failure failure={error} again={refetch} />}
      {!data && !error && <Waiting what="the check of the lineage" />}
      {isNowhere && (
        <p className="notice" role="status">
          There is nothing called {choice.scope}, or in it.
        </p>
      )}
      {data && !error && !isNowhere && (
        <>
          <Tiles health={data} />
          <section className="card stack" aria-labelledby="coverage-title">
            <h2 id="coverage-title">What people can rely on</h2>
            <Coverage scope={choice.scope} />
          </section>
          <div className={isPlaceholderData ? 'stack stale' : 'stack'}>
            <Sections health={data} limit={choice.limit} onAll={() => change({ limit: MANY_FINDINGS })} />
            <InOrder health={data} />
          </div>
        </>
      )}
    </div>
  );
};
