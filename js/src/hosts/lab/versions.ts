import { toUpdate } from '../../facts/upgrade';
import { __ } from '../../language';
import { RELEASE, VERSION } from '../../schema';

/** Why a kernel wants no comm of this page: `told` is what it said of its own jaxviz. One that said
 * nothing is older than all that do. */
export function otherVersion(told: unknown): string {
  const { version, jaxviz } = Object(told) as Record<string, unknown>;
  if (typeof version !== 'number' || typeof jaxviz !== 'string') {
    return __(
      'The kernel has an older jaxviz than this page, which has %1 (format %2): run %pip install --upgrade jupyterlab-jaxviz, restart the kernel, and run the cell again.',
      RELEASE,
      VERSION,
    );
  }
  return `${__('The kernel has jaxviz %1, which writes format %2.', jaxviz, version)} ${toUpdate()}`;
}
