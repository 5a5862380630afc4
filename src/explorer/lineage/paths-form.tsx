import { AssetPicker } from '../finder/asset-picker.tsx';
import { isWithheld } from '../parts/no-asset.tsx';
import { Failure } from '../parts/states.tsx';
import { ColumnPicker } from './column-picker.tsx';
import type { End, PathsQuestion } from './paths.ts';
import { useColumnsOf } from './read-columns.ts';

/** The two ends of the paths: assets, and a column of each where one asks about columns. */

type EndProps = {
  readonly label: string;
  readonly end: End | undefined;
  readonly onEnd: (end: End) => void;
};

const EndFields = ({ label, end, onEnd }: EndProps) => {
  const { data: columns = [], error, refetch } = useColumnsOf(end);
  return (
    <fieldset className="paths-end">
      <legend className="visually-hidden">{label}</legend>
      <AssetPicker label={label} asset={end} onAsset={onEnd} />
      {end && isWithheld(error) && (
        <p className="notice bad" role="alert">
          There is no asset <code>{end.fqn}</code> for you. Choose another one.
        </p>
      )}
      {error && !isWithheld(error) && <Failure failure={error} again={refetch} />}
      {end && columns.length > 0 && (
        <ColumnPicker
          label="Column"
          columns={columns}
          column={end.column}
          onColumn={(column) => onEnd({ ...end, column })}
        />
      )}
    </fieldset>
  );
};

type FormProps = { readonly question: PathsQuestion; readonly ask: (part: Partial<PathsQuestion>) => void };

/** Paths lead from a column to a column, or from an asset to an asset. */
const isMixed = ({ from, to }: PathsQuestion): boolean =>
  from !== undefined && to !== undefined && (from.column === undefined) !== (to.column === undefined);

export const PathsForm = ({ question, ask }: FormProps) => {
  const { from, to } = question;
  return (
    <div className="paths-form">
      <h1>Paths</h1>
      <EndFields label="From" end={from} onEnd={(end) => ask({ from: end, avoid: [] })} />
      <button
        type="button"
        className="button"
        aria-label="Swap both ends"
        disabled={!from && !to}
        onClick={() => ask({ from: to, to: from, avoid: [] })}
      >
        ⇄
      </button>
      <EndFields label="To" end={to} onEnd={(end) => ask({ to: end, avoid: [] })} />
      {isMixed(question) && (
        <p className="quiet paths-hint">Choose a column on both sides to see the paths of columns alone.</p>
      )}
    </div>
  );
};
