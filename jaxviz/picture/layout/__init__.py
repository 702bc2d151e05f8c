"""Items and what is open laid out: the same rooms as `js/src/layout`."""
