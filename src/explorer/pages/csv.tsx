import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { assetAddress } from '../addresses.ts';
import { type CsvRights, fetchCsvRights } from '../api/csv.ts';
import { csvKindOf } from '../api/csv-kinds.ts';
import { useMe } from '../api/me.ts';
import { fetchSubject, type SubjectAsset } from '../api/subject.ts';
import { CsvColumns } from '../csv/csv-columns.tsx';
import { ExportCard } from '../csv/export-card.tsx';
import { ImportCard } from '../csv/import-card.tsx';
import { NoAsset } from '../parts/no-asset.tsx';
import { Waiting } from '../parts/states.tsx';
import '../csv/csv.css';
import './asset.css';
import './home.css';

type PartsProps = { readonly subject: SubjectAsset; readonly rights: CsvRights };

/** Whoever may not change an asset takes its rows out only. */
const CsvParts = ({ subject: { type, fqn, name }, rights }: PartsProps) => {
  const target = { type, fqn };
  if (!rights.mayExport) return <p className="notice">You may not see all of it, which its rows tell.</p>;
  return (
    <>
      <div className="csv-parts">
        <ExportCard target={target} name={name} />
        {rights.mayImport ? (
          <ImportCard target={target} name={name} />
        ) : (
          <p className="notice">You may take its rows out, but not bring changes in.</p>
        )}
      </div>
      <CsvColumns type={type} />
    </>
  );
};

/** Takes an asset out as CSV, and changes in. */
export const CsvPage = ({ type, fqn }: { readonly type: string; readonly fqn: string }) => {
  const me = useMe();
  const subject = useQuery({
    queryKey: ['subject', type, fqn],
    queryFn: ({ signal }) => fetchSubject(type, fqn, signal),
  });
  const id = subject.data?.id;
  const isKind = csvKindOf(type) !== undefined;
  const rights = useQuery({
    queryKey: ['csv rights', type, id],
    queryFn: ({ signal }) => fetchCsvRights({ type, id: id ?? '' }, signal),
    enabled: isKind && id !== undefined,
  });
  const failed = [subject, me, rights].find(({ isError }) => isError);
  if (failed?.error) return <NoAsset failure={failed.error} fqn={fqn} again={failed.refetch} />;
  const { data } = subject;
  if (!data || !me.data || (isKind && !rights.data)) return <Waiting what="the asset" />;
  return (
    <div className="page stack">
      <header>
        <p className="quiet">CSV of</p>
        <h1>
          <Link className="head-link" href={assetAddress(type, data.fqn)}>
            {data.title}
          </Link>
        </h1>
        <p className="quiet asset-fqn">{data.fqn}</p>
      </header>
      {rights.data ? (
        <CsvParts subject={data} rights={rights.data} />
      ) : (
        <p className="notice">
          Only tables, database schemas, databases and database services can be exported and imported as CSV.
        </p>
      )}
    </div>
  );
};
