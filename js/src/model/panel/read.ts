/** What a kernel tells a panel: JSON, deflated. */

import { type Panel, VERSION } from '../../schema';
import { __ } from '../language';
import { fitsTogether } from '../log/read';
import { isRecord } from '../log/records';
import { inflated } from '../wire/index';

/** Bytes of the largest that is read: a log's thousand events are about 1 MB. */
const LARGEST = 16_000_000;

/** Rejects with one sentence what is none, or does not fit together. */
export async function readPanel(bytes: Uint8Array<ArrayBuffer>): Promise<Panel> {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(await inflated(bytes, LARGEST));
  const data: unknown = JSON.parse(text);
  if (!isRecord(data, 'Panel')) throw new Error(__('What the kernel told is damaged.'));
  const panel = data as Panel;
  if (panel.version !== VERSION || !fitsTogether(panel.log)) {
    throw new Error(__('What the kernel told does not fit together.'));
  }
  return panel;
}
