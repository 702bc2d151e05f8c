"""What a program holds, as boxes that open: the same rooms as `js/src/model`."""
