import { Link } from 'wouter';
import { assetAddress, columnAddress } from '../addresses.ts';
import { KindName } from '../parts/kind-name.tsx';
import { columnPath, describeDistance, type InheritedRow } from './inherited-rows.ts';

type Choosing = {
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (fqn: string, isChosen: boolean) => void;
};

/** The whole way, which is too long for a line. */
const Way = ({ row }: { readonly row: InheritedRow }) => {
  const [shortest = []] = row.paths;
  return (
    <details className="inherited-way">
      <summary>
        from {row.sources[0]?.fullyQualifiedName} {describeDistance(row)}
      </summary>
      <ol>
        {shortest.map((fqn) => (
          <li key={fqn}>{fqn}</li>
        ))}
      </ol>
    </details>
  );
};

const Remarks = ({ row }: { readonly row: InheritedRow }) => (
  <>
    {row.blockedBy && (
      <span className="chip warn" title={`Between ${row.blockedBy.from} and ${row.blockedBy.to}`}>
        {row.blockedBy.function}
      </span>
    )}
    {row.conflictsWith.map(({ tagFQN }) => (
      <span key={tagFQN} className="chip bad">
        {tagFQN}
      </span>
    ))}
    {row.confidence < 1 && <span className="quiet">{Math.round(row.confidence * 100)} % sure</span>}
  </>
);

const InheritedLine = ({ row, choosing }: { readonly row: InheritedRow; readonly choosing: Choosing | undefined }) => {
  const { fullyQualifiedName: fqn, entity } = row.column;
  const [type, owner] = [entity.type ?? '', entity.fullyQualifiedName ?? ''];
  const path = columnPath(row);
  return (
    <li className="inherited-line">
      {choosing && (
        <input
          type="checkbox"
          aria-label={`Choose ${fqn}`}
          checked={choosing.chosen.has(fqn)}
          onChange={({ target }) => choosing.onChoose(fqn, target.checked)}
        />
      )}
      <div className="inherited-column">
        <Link href={columnAddress(type, owner, fqn)}>{path}</Link> <span className="quiet">on</span>{' '}
        <Link href={assetAddress(type, owner)}>{owner}</Link> <KindName type={type} />
        <Way row={row} />
      </div>
      <div className="inherited-remarks">
        <Remarks row={row} />
      </div>
    </li>
  );
};

/** Columns that inherit a tag, each with where it comes from; those that may be labelled can be chosen. */
export const InheritedList = ({
  rows,
  choosing,
}: {
  readonly rows: readonly InheritedRow[];
  readonly choosing: Choosing | undefined;
}) => (
  <ul className="inherited-list">
    {rows.map((row) => (
      <InheritedLine key={row.column.fullyQualifiedName} row={row} choosing={choosing} />
    ))}
  </ul>
);
