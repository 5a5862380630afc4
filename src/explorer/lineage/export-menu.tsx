import { type RefObject, useState } from 'react';
import { Button, Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover, Text } from 'react-aria-components';
import { describeFailure } from '../api/failure.ts';
import { fileNameOf, saveFile } from '../parts/save-file.ts';
import { askGraph, asText } from './ask-graph.ts';
import type { LineageChoice } from './choice.ts';
import './export-menu.css';
import { depthsOf, filterOf } from './graph-query.ts';
import { type DrawnGraph, paintPng, takePicture } from './take-picture.ts';

/** Saves what is shown as a picture, or the same lineage as the service writes it. */

const PICTURES = ['svg', 'png'] as const;
const PICTURE_USES = { svg: 'stays sharp at any size', png: 'for chats and slides' } as const;
const FORMATS = {
  json: { ending: 'json', title: 'JSON', use: 'all that the API says' },
  csv: { ending: 'csv', title: 'CSV', use: 'the edges, for spreadsheets' },
  graphml: { ending: 'graphml', title: 'GraphML', use: 'for yEd, Gephi and the like' },
  mermaid: { ending: 'mmd', title: 'Mermaid', use: 'a flow chart for Markdown' },
  dot: { ending: 'dot', title: 'DOT', use: 'for Graphviz' },
} as const;

type Format = keyof typeof FORMATS;

type MenuProps = {
  readonly type: string;
  readonly fqn: string;
  readonly name: string;
  readonly choice: LineageChoice;
  readonly drawn: RefObject<DrawnGraph>;
};

/** A list shows no boxes, so a picture can only be taken of the graph. */
const useExport = ({ type, fqn, name, choice, drawn }: MenuProps) => {
  const [state, setState] = useState<{ readonly text: string; readonly isBad: boolean }>();
  const savePicture = async (format: (typeof PICTURES)[number]): Promise<void> => {
    const picture = takePicture(drawn.current, `Lineage of ${name}`, choice);
    const content = format === 'svg' ? new Blob([picture.svg], { type: 'image/svg+xml' }) : await paintPng(picture);
    saveFile(fileNameOf(`lineage-${name}`, format), content);
  };
  const saveText = async (format: Format): Promise<void> => {
    const query = { type, fqn, ...depthsOf(choice), columns: true, format, ...filterOf(choice) };
    const text = await askGraph<string>(query, { parse: asText });
    saveFile(fileNameOf(`lineage-${name}`, FORMATS[format].ending), new Blob([text]));
  };
  const save = async (key: string): Promise<void> => {
    setState({ text: 'Preparing the file …', isBad: false });
    try {
      const picture = PICTURES.find((one) => one === key);
      await (picture ? savePicture(picture) : saveText(key as Format));
      setState(undefined);
    } catch (failure) {
      setState({ text: describeFailure(failure), isBad: true });
    }
  };
  return { state, save };
};

type EntryProps = { readonly id: string; readonly title: string; readonly use: string };

const Entry = ({ id, title, use }: EntryProps) => (
  <MenuItem id={id} className="export-item" textValue={title}>
    {/* Whoever speaks to the browser names an entry by what they see, so that all of it is its name. */}
    <Text slot="label" className="export-label">
      <span>{title}</span> <span className="quiet">{use}</span>
    </Text>
  </MenuItem>
);

export const ExportMenu = (props: MenuProps) => {
  const { state, save } = useExport(props);
  const pictures = props.choice.isList ? [] : PICTURES;
  return (
    <>
      <MenuTrigger>
        <Button className="button">Export</Button>
        <Popover className="sheet narrow" placement="bottom end">
          <Menu className="export-menu" aria-label="Export" onAction={(key) => save(String(key))}>
            {pictures.length > 0 && (
              <MenuSection>
                <Header>Picture of what is shown</Header>
                {pictures.map((picture) => (
                  <Entry
                    key={picture}
                    id={picture}
                    title={`${picture.toUpperCase()} picture`}
                    use={PICTURE_USES[picture]}
                  />
                ))}
              </MenuSection>
            )}
            <MenuSection>
              <Header>The lineage as a file</Header>
              {Object.entries(FORMATS).map(([format, { title, use }]) => (
                <Entry key={format} id={format} title={title} use={use} />
              ))}
            </MenuSection>
          </Menu>
        </Popover>
      </MenuTrigger>
      {state && (
        <span className={state.isBad ? 'chip bad' : 'quiet'} role={state.isBad ? 'alert' : 'status'}>
          {state.text}
        </span>
      )}
    </>
  );
};
