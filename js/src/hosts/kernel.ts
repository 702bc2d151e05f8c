/** What the kernel calls (`jaxviz/picture.py`): it has an engine for JavaScript, and no page. Programs
 * and logs come as JSON. */
import './bare';
import { dot } from '../picture/dot';
import { picture } from '../picture/picture';
import { timeline } from '../picture/still-timeline';

Object.assign(globalThis, {
  picture: (program: string, kind: string) => picture(JSON.parse(program), kind),
  dot: (program: string, kind: string) => dot(JSON.parse(program), kind),
  timeline: (log: string) => timeline(JSON.parse(log)),
});
