import { type ReactNode, useState } from 'react';
import './file-drop.css';

type FileDropProps = {
  readonly label: string;
  /** The endings and media types that the chooser of the browser offers. */
  readonly accept: string;
  readonly onFile: (file: File) => void;
  readonly children?: ReactNode;
};

/** Where a file is dropped, or chosen by the keyboard. */
export const FileDrop = ({ label, accept, onFile, children }: FileDropProps) => {
  const [isOver, setOver] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way to what the field inside does.
    <div
      className={isOver ? 'file-drop over' : 'file-drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const [file] = event.dataTransfer.files;
        if (file) onFile(file);
      }}
    >
      <label className="button">
        {label}
        <input
          type="file"
          className="visually-hidden"
          accept={accept}
          onChange={({ target }) => {
            const file = target.files?.[0];
            if (file) onFile(file);
            // The same file may be chosen again after it was mended.
            target.value = '';
          }}
        />
      </label>
      <span className="quiet">or drop it here</span>
      {children}
    </div>
  );
};
