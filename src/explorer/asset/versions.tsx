import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { ask } from '../api/ask.ts';
import { type Asset, recordPath } from '../api/asset.ts';
import type { Schemas } from '../api/types.ts';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';
import { readableTime } from '../parts/times.ts';
import { describeEvent } from './describe-event.ts';
import { Differences } from './diff/differences.tsx';
import { diffRecords } from './diff/record-diff.ts';
import './versions.css';

/** The versions of a record, the newest first, and what differs between any two of them. */

type Version = Pick<Asset, 'version' | 'updatedAt' | 'updatedBy'> & {
  readonly changeDescription?: Schemas['ChangeDescription'];
};

/** Each version is the whole record, which is large for a wide table. */
const PAGE = 15;

const useVersions = (type: string, id: string) =>
  useInfiniteQuery({
    queryKey: ['versions', id],
    queryFn: async ({ pageParam, signal }) => {
      const { versions } = await ask<Schemas['EntityHistory']>(`${recordPath(type, id)}/versions`, {
        query: { limit: PAGE, offset: pageParam },
        signal,
      });
      return versions.map((text) => JSON.parse(String(text)) as Version);
    },
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.length < PAGE ? undefined : pages.length * PAGE),
  });

const useChoice = (versions: readonly Version[]) => {
  const [params, setParams] = useSearchParams();
  const numbers = versions.map(({ version }) => String(version));
  const to = params.get('to') ?? numbers[0];
  const from = params.get('from') ?? numbers[1];
  const choose = (part: { readonly from?: string; readonly to?: string }) =>
    setParams((former) => {
      const next = new URLSearchParams(former);
      for (const [name, value] of Object.entries({ from, to, ...part })) if (value !== undefined) next.set(name, value);
      return next;
    });
  return { from, to, choose };
};

/** The address may say anything; a version is a number. */
const IS_VERSION = /^\d+(?:\.\d+)?$/;

const useVersion = (type: string, id: string, version: string | undefined, known: readonly Version[]) => {
  const here = known.find((one) => String(one.version) === version);
  const { data, error } = useQuery({
    queryKey: ['version', id, version],
    queryFn: ({ signal }) => ask<Version>(`${recordPath(type, id)}/versions/${version}`, { signal }),
    enabled: version !== undefined && IS_VERSION.test(version) && here === undefined,
  });
  return { value: here ?? data, error };
};

type ChoiceProps = {
  readonly label: string;
  readonly value: string | undefined;
  readonly versions: readonly Version[];
  readonly onChoose: (version: string) => void;
};

const describeVersion = ({ version, updatedBy, updatedAt }: Version): string =>
  `${version}, ${updatedBy ?? ''}${updatedAt === undefined ? '' : `, ${readableTime(updatedAt)}`}`;

const VersionChoice = ({ label, value, versions, onChoose }: ChoiceProps) => (
  <label className="field">
    {label}
    <select value={value} onChange={({ target }) => onChoose(target.value)}>
      {value !== undefined && !versions.some(({ version }) => String(version) === value) && (
        <option value={value}>{value}</option>
      )}
      {versions.map((version) => (
        <option key={version.version} value={String(version.version)}>
          {describeVersion(version)}
        </option>
      ))}
    </select>
  </label>
);

type CompareProps = { readonly type: string; readonly id: string; readonly versions: readonly Version[] };

const Compare = ({ type, id, versions }: CompareProps) => {
  const { from, to, choose } = useChoice(versions);
  const before = useVersion(type, id, from, versions);
  const after = useVersion(type, id, to, versions);
  const differences = useMemo(() => diffRecords(before.value, after.value), [before.value, after.value]);
  const failure = before.error ?? after.error;
  return (
    <section className="card stack" aria-label="Comparison">
      <h2>What differs</h2>
      <div className="compare">
        <VersionChoice label="Before" value={from} versions={versions} onChoose={(one) => choose({ from: one })} />
        <VersionChoice label="After" value={to} versions={versions} onChoose={(one) => choose({ to: one })} />
      </div>
      {failure && <Failure failure={failure} />}
      {!failure && (!before.value || !after.value) && <Waiting what="both versions" />}
      {before.value && after.value && <Differences differences={differences} />}
    </section>
  );
};

const VersionRow = ({ version }: { readonly version: Version }) => {
  const { changeDescription, updatedBy, updatedAt } = version;
  const previous = changeDescription?.previousVersion;
  const [params] = useSearchParams();
  const isShown = params.get('to') === String(version.version) && params.get('from') === String(previous);
  return (
    <li className="version">
      <span>
        <strong>{version.version}</strong>{' '}
        {changeDescription ? describeEvent({ eventType: 'entityUpdated', changeDescription }) : 'created it'}
      </span>
      <span className="quiet">
        {updatedBy}
        {updatedAt === undefined ? '' : `, ${readableTime(updatedAt)}`}
      </span>
      {previous !== undefined && <CompareLink from={String(previous)} to={String(version.version)} isShown={isShown} />}
    </li>
  );
};

const CompareLink = ({
  from,
  to,
  isShown,
}: {
  readonly from: string;
  readonly to: string;
  readonly isShown: boolean;
}) => {
  const [, setParams] = useSearchParams();
  const compare = () =>
    setParams((former) => {
      const next = new URLSearchParams(former);
      next.set('from', from);
      next.set('to', to);
      return next;
    });
  return (
    <button type="button" className="button small" aria-pressed={isShown} onClick={compare}>
      Show {from} → {to}
    </button>
  );
};

export const Versions = ({ type, id }: { readonly type: string; readonly id: string }) => {
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useVersions(type, id);
  if (error && !data) return <Failure failure={error} again={refetch} />;
  if (!data) return <Waiting what="the versions" />;
  const versions = data.pages.flat();
  return (
    <>
      {versions.length > 1 && <Compare type={type} id={id} versions={versions} />}
      <section className="card stack" aria-label="Versions">
        <h2>Versions</h2>
        {versions.length === 0 && <Nothing>There are no versions.</Nothing>}
        {versions.length === 1 && <p className="quiet">Nothing has changed since it was created.</p>}
        <ol className="versions">
          {versions.map((version) => (
            <VersionRow key={version.version} version={version} />
          ))}
        </ol>
        {error && <Failure failure={error} again={fetchNextPage} />}
        {hasNextPage && (
          <button type="button" className="button" disabled={isFetchingNextPage} onClick={() => fetchNextPage()}>
            Show more
          </button>
        )}
      </section>
    </>
  );
};
