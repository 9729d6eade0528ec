# bash completion of bankrun

_bankrun() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=run i
    local run_options="--arch --threads --launch --dump --format --output --fail-on
        --max-instructions --nvcc --nvcc-flag --color --quiet --verbose --help"
    local report_options="--format --output --fail-on --color --verbose --help"
    COMPREPLY=()
    case $previous in
    --format) COMPREPLY=($(compgen -W "text json csv" -- "$current")) && return ;;
    --color) COMPREPLY=($(compgen -W "auto always never" -- "$current")) && return ;;
    --fail-on) COMPREPLY=($(compgen -W "excess" -- "$current")) && return ;;
    --arch) COMPREPLY=($(compgen -W "sm_75 sm_80 sm_86 sm_87 sm_89 sm_90 sm_100 sm_120" -- "$current")) && return ;;
    esac
    [[ ${COMP_WORDS[1]} == report ]] && command=report
    if [[ $current == -* ]]; then
        if [[ $command == report ]]; then
            COMPREPLY=($(compgen -W "$report_options" -- "$current"))
        elif ((COMP_CWORD == 1)); then
            COMPREPLY=($(compgen -W "$run_options --version" -- "$current"))
        else
            COMPREPLY=($(compgen -W "$run_options" -- "$current"))
        fi
        return
    fi
    ((COMP_CWORD == 1)) && COMPREPLY=($(compgen -W "run report help" -- "$current"))
    COMPREPLY+=($(compgen -f -- "$current"))
}
complete -o filenames -F _bankrun bankrun
