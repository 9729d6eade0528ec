# fish completion of bankrun, by what `bankrun help --list` says of commands and options

function __bankrun_complete_options --argument-names command condition
    bankrun help --list $command 2>/dev/null | while read -d \t -l name letter argument choices help
        set -l option -l (string sub -s 3 -- $name) -d $help
        test $letter != -; and set -a option -s $letter
        if test $argument = -
        else if test $choices != -
            set -a option -x -a $choices
        else if string match -qr '(FILE|PATH)$' -- $argument
            set -a option -r
        else
            set -a option -x
        end
        complete -c bankrun -n $condition $option
    end
end

set -l commands (bankrun help --list 2>/dev/null | cut -f 1)
set -l others (string match -v run -- $commands)
complete -c bankrun -n "not __fish_seen_subcommand_from $commands" -l version -d 'show the version'
bankrun help --list 2>/dev/null | while read -d \t -l command help
    complete -c bankrun -n "not __fish_seen_subcommand_from $commands" -a $command -d $help
    if test $command = run # which is meant where no command is named
        __bankrun_complete_options run "not __fish_seen_subcommand_from $others"
    else
        __bankrun_complete_options $command "__fish_seen_subcommand_from $command"
    end
end
