"""docs/isa-coverage.md is what tools/isa_coverage.py writes."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.exit(subprocess.run([sys.executable, ROOT / "tools" / "isa_coverage.py", "--check"],
                        check=False).returncode)
