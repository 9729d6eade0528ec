# fish completion of bankrun

set -l commands run report help
set -l runs 'not __fish_seen_subcommand_from report help'
complete -c bankrun -n "not __fish_seen_subcommand_from $commands" -a run -d 'Run a program and report'
complete -c bankrun -n "not __fish_seen_subcommand_from $commands" -a report -d 'Show a saved profile'
complete -c bankrun -n "not __fish_seen_subcommand_from $commands" -a help -d 'Show help'
complete -c bankrun -l format -x -a 'text json csv' -d 'Form of the report'
complete -c bankrun -s o -l output -r -d 'Write the report to a file'
complete -c bankrun -l fail-on -x -a excess -d 'Exit with status 3 on excess wavefronts'
complete -c bankrun -l color -x -a 'auto always never' -d Colour
complete -c bankrun -s v -l verbose -d 'Show every site and launch'
complete -c bankrun -s h -l help -d 'Show help'
complete -c bankrun -l version -d 'Show the version'
complete -c bankrun -n $runs -l arch -x -a 'sm_75 sm_80 sm_86 sm_87 sm_89 sm_90 sm_100 sm_120' -d 'Architecture to simulate'
complete -c bankrun -n $runs -l threads -x -d 'Host threads'
complete -c bankrun -n $runs -l launch -x -d 'Launch of a .ptx file'
complete -c bankrun -n $runs -l dump -r -d 'Write a buffer after the run'
complete -c bankrun -n $runs -l max-instructions -x -d 'Stop a launch after so many warp instructions'
complete -c bankrun -n $runs -l nvcc -r -d 'The nvcc to compile with'
complete -c bankrun -n $runs -l nvcc-flag -x -d 'Hand a flag to nvcc'
complete -c bankrun -n $runs -s q -l quiet -d 'No report on stderr'
