/** What the kernel calls (`jaxviz/picture.py`): it has an engine for JavaScript, and no page. Programs
 * and logs come as JSON. */
import './bare';
import { picture } from '../picture/picture';

Object.assign(globalThis, {
  picture: (program: string, kind: string) => picture(JSON.parse(program), kind),
});
