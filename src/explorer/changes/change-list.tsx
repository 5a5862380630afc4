import { Link } from 'wouter';
import { assetAddress, columnAddress } from '../addresses.ts';
import { KindName } from '../parts/kind-name.tsx';
import { formatDay, formatMoment, formatTime, isoMoment } from '../parts/times.ts';
import type { CatalogChange } from './changes-choice.ts';
import { describeSide, groupByDay, nameChange } from './describe-change.ts';

const addressOf = ({ entity, column }: CatalogChange): string =>
  column
    ? columnAddress(column.entity.type ?? '', column.entity.fullyQualifiedName ?? '', column.fullyQualifiedName)
    : assetAddress(entity.type ?? '', entity.fullyQualifiedName ?? '');

const Sides = ({ row }: { readonly row: CatalogChange }) => {
  const [before, after] = [describeSide(row.before), describeSide(row.after)];
  if (before === undefined && after === undefined) return null;
  return (
    <span className="change-sides">
      {before !== undefined && <del>{before}</del>}
      {before !== undefined && after !== undefined && <span> → </span>}
      {after !== undefined && <ins>{after}</ins>}
    </span>
  );
};

const ChangeLine = ({ row }: { readonly row: CatalogChange }) => (
  <li className="change-line">
    <span className="change-what">
      {row.breaking && <span className="chip bad">breaking</span>} {nameChange(row)}
    </span>
    <span className="change-name">
      <Link href={addressOf(row)}>{row.entity.fullyQualifiedName}</Link>
      {row.column && <span className="quiet"> · {row.column.name}</span>} <KindName type={row.entity.type ?? ''} />
      <Sides row={row} />
    </span>
    <span className="quiet change-when">
      {row.by && <Link href={assetAddress('user', row.by)}>{row.by}</Link>}{' '}
      <time dateTime={isoMoment(row.at)} title={formatMoment(row.at)}>
        {formatTime(row.at)}
      </time>
    </span>
  </li>
);

/** Changes grouped by day, the newest first. */
export const ChangeList = ({ rows }: { readonly rows: readonly CatalogChange[] }) =>
  groupByDay(rows, formatDay).map(([day, some]) => (
    <section key={day} className="card stack" aria-label={day}>
      <h2>{day}</h2>
      <ul className="change-list">
        {some.map((row, at) => (
          // Nothing else tells apart two changes of one version.
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows of an answer never change their order.
          <ChangeLine key={at} row={row} />
        ))}
      </ul>
    </section>
  ));
