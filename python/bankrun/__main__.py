"""`python -m bankrun`: the command."""

import sys

from bankrun_start import main

sys.exit(main())
