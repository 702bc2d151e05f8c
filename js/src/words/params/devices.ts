import { __ } from '../../language';
import { along } from './dimensions';
import { type Table, when } from './params-table';

const axisName = () =>
  __('The named axis, of the mesh or of a map, along which devices exchange values.');
const tiled = when('True', () =>
  __('Parts are put one after another along that dimension, not along a new one.'),
);

/** Of values that lie on several devices. */
export const DEVICES: Table = [
  [
    'psum psum2 psum_invariant pmax pmin',
    { axes: () => __('The named axes, of the mesh or of a map, that it reduces over.') },
  ],
  [
    'all_gather all_gather_invariant',
    {
      axis_name: axisName,
      all_gather_dimension: along((where) => __('Puts the parts together along %1.', where)),
      axis_size: () => __('How many parts there are.'),
      tiled,
    },
  ],
  [
    'all_to_all',
    {
      axis_name: axisName,
      split_axis: along((where) => __('Each device splits its part along %1.', where)),
      concat_axis: along((where) => __('What it is sent it puts together along %1.', where)),
      tiled,
    },
  ],
  [
    'reduce_scatter',
    {
      axis_name: axisName,
      scatter_dimension: along((where) => __('Splits the sum along %1.', where)),
      axis_size: () => __('How many parts there are.'),
      tiled,
    },
  ],
  [
    'ppermute',
    {
      axis_name: axisName,
      perm: () => __('Pairs of devices: from which, to which.'),
    },
  ],
  [
    'axis_index',
    {
      axis_name: () => __('The named axis along which the number of the device is the result.'),
    },
  ],
  [
    'shard_map',
    {
      mesh: () => __('The devices, by named axes.'),
      in_specs: () =>
        __('For each operand, the axis of the mesh that each dimension is split over.'),
      out_specs: () =>
        __('For each result, the axis of the mesh that each dimension is put together from.'),
      check_vma: when('True', () => __('JAX checks which values differ between devices.')),
      newly_manual_axes: () =>
        __('The axes of the mesh along which its body sees the part of one device.'),
    },
  ],
  [
    'sharding_constraint',
    { sharding: () => __('How the value has to lie on the devices from here on.') },
  ],
  [
    'device_put',
    {
      devices: () => __('Where each operand is to lie; None leaves it where it is.'),
      copy_semantics: () => __('Whether it is copied also where it lies there already.'),
    },
  ],
];
