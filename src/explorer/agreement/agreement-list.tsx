import { AssetLink } from '../parts/asset-links.tsx';
import { formatDay, formatMoment, isoMoment } from '../parts/times.ts';
import { AGREEMENT_TITLES, type AgreementRow } from './agreement-choice.ts';
import { DecisionButtons } from './decision-buttons.tsx';

const CHIP_TONES: Readonly<Record<AgreementRow['state'], string>> = {
  agreed: 'chip good',
  declaredOnly: 'chip warn',
  observedOnly: 'chip warn',
};

const Edge = ({ row }: { readonly row: AgreementRow }) => (
  <li className="agreement-row">
    <span className="agreement-edge">
      <AssetLink asset={row.from} /> <span aria-hidden="true">→</span>
      <span className="visually-hidden"> to </span> <AssetLink asset={row.to} />
      <span className="quiet agreement-where">
        {row.from.fullyQualifiedName} → {row.to.fullyQualifiedName}
      </span>
    </span>
    <span>
      <span className={CHIP_TONES[row.state]}>{AGREEMENT_TITLES[row.state]}</span>
      <span className="quiet agreement-where">{[...row.declared, ...row.observed].join(', ')}</span>
    </span>
    <span className="quiet">
      last seen{' '}
      <time dateTime={isoMoment(row.lastSeen)} title={formatMoment(row.lastSeen)}>
        {formatDay(row.lastSeen)}
      </time>
      <span className="agreement-where">{Math.round(row.confidence * 100)} % sure</span>
    </span>
    <DecisionButtons row={row} />
  </li>
);

/** Edges with who states them, and what to do about them. */
export const AgreementList = ({ rows }: { readonly rows: readonly AgreementRow[] }) => (
  <ul className="card agreement-list" aria-label="Edges">
    {rows.map((row) => (
      <Edge key={`${row.from.id} ${row.to.id}`} row={row} />
    ))}
  </ul>
);
