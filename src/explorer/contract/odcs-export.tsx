import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { exportOdcs, ODCS_VERSIONS_OUT, type OdcsFormat } from '../api/contracts.ts';
import { fileNameOf, saveFile } from '../parts/save-file.ts';
import { Failure } from '../parts/states.tsx';
import type { Contract } from './form.ts';

/** Saves the contract as a document of the Open Data Contract Standard. */

const MEDIA: Readonly<Record<OdcsFormat, string>> = { yaml: 'application/yaml', json: 'application/json' };

export const OdcsExport = ({ contract }: { readonly contract: Contract }) => {
  const [version, setVersion] = useState<string>('v3.1.0');
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (format: OdcsFormat) => {
      const text = await exportOdcs(contract.id, format, version);
      saveFile(fileNameOf(contract.name, `odcs.${format}`), new Blob([text], { type: MEDIA[format] }));
    },
  });
  return (
    <section className="card stack" aria-label="Export as ODCS">
      <h2>Export as ODCS</h2>
      {error && <Failure failure={error} />}
      <div className="row odcs-export">
        <label className="field">
          <span>Version of the standard</span>
          <select value={version} onChange={({ target }) => setVersion(target.value)}>
            {ODCS_VERSIONS_OUT.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <button type="button" className="button main" disabled={isPending} onClick={() => mutate('yaml')}>
          Save as YAML
        </button>
        <button type="button" className="button" disabled={isPending} onClick={() => mutate('json')}>
          Save as JSON
        </button>
      </div>
    </section>
  );
};
