import { Link } from 'wouter';
import { assetAddress } from '../addresses.ts';
import { type Named, recordName } from './names.ts';

/** A record by its name, as a link to its page where the visitor may see it. */
export const RecordLink = ({ record }: { readonly record: Named }) =>
  record.hidden || !record.type || !record.fullyQualifiedName ? (
    <span className="quiet">{recordName(record)}</span>
  ) : (
    <Link href={assetAddress(record.type, record.fullyQualifiedName)} title={record.fullyQualifiedName}>
      {recordName(record)}
    </Link>
  );
