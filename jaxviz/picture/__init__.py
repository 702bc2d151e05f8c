"""Still pictures, for places that need no script: `drawable` reduces a program, `draw` draws it."""
