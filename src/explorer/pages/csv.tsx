import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { assetAddress } from '../addresses.ts';
import { csvKindOf } from '../api/csv-kinds.ts';
import { useMe } from '../api/me.ts';
import { fetchSubject } from '../api/subject.ts';
import { CsvColumns } from '../csv/csv-columns.tsx';
import { ExportCard } from '../csv/export-card.tsx';
import { ImportCard } from '../csv/import-card.tsx';
import { NoAsset } from '../parts/no-asset.tsx';
import { Waiting } from '../parts/states.tsx';
import '../csv/csv.css';
import './asset.css';
import './home.css';

/** Takes an asset out as CSV, and changes in. */
export const CsvPage = ({ type, fqn }: { readonly type: string; readonly fqn: string }) => {
  const me = useMe();
  const { data, error, refetch } = useQuery({
    queryKey: ['subject', type, fqn],
    queryFn: ({ signal }) => fetchSubject(type, fqn, signal),
  });
  const failure = error ?? me.error;
  if (failure) return <NoAsset failure={failure} fqn={fqn} again={error ? refetch : me.refetch} />;
  if (!data || !me.data) return <Waiting what="the asset" />;
  const { name, title } = data;
  const target = { type, fqn: data.fqn };
  return (
    <div className="page stack">
      <header>
        <p className="quiet">CSV of</p>
        <h1>
          <Link className="head-link" href={assetAddress(type, target.fqn)}>
            {title}
          </Link>
        </h1>
        <p className="quiet asset-fqn">{target.fqn}</p>
      </header>
      {csvKindOf(type) === undefined ? (
        <p className="notice">
          Only tables, database schemas, databases and database services can be exported and imported as CSV.
        </p>
      ) : (
        <>
          <div className="csv-parts">
            <ExportCard target={target} name={name} />
            <ImportCard target={target} name={name} />
          </div>
          <CsvColumns type={type} />
        </>
      )}
    </div>
  );
};
