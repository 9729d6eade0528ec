# bash completion of bankrun

_bankrun() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=run i
    local run_options="--arch --devices --threads --launch --dump --trace --trace-output --metrics --format --output --fail-on
        --max-instructions --blocks --as --nvcc --nvcc-flag --no-cache --no-count --follow --color --quiet --verbose --help"
    local report_options="--metrics --format --output --fail-on --color --verbose --help"
    local explain_options="--shared --block --load --store --atomic --let --if --arch --warp --width
        --base --bank-mode --grid --block-index --requests --keep-going --format --output --color --help"
    local calibrate_options="--instruction --patterns --arch --save --verbose --help"
    COMPREPLY=()
    case $previous in
    --format) COMPREPLY=($(compgen -W "text json csv" -- "$current")) && return ;;
    --as) COMPREPLY=($(compgen -W "written compiled" -- "$current")) && return ;;
    --color) COMPREPLY=($(compgen -W "auto always never" -- "$current")) && return ;;
    --fail-on) COMPREPLY=($(compgen -W "excess" -- "$current")) && return ;;
    --arch) COMPREPLY=($(compgen -W "sm_75 sm_80 sm_86 sm_87 sm_89 sm_90 sm_100 sm_120" -- "$current")) && return ;;
    esac
    [[ ${COMP_WORDS[1]} == report || ${COMP_WORDS[1]} == explain ||
        ${COMP_WORDS[1]} == calibrate || ${COMP_WORDS[1]} == nvcc-flags ]] && command=${COMP_WORDS[1]}
    if [[ $current == -* ]]; then
        if [[ $command == report ]]; then
            COMPREPLY=($(compgen -W "$report_options" -- "$current"))
        elif [[ $command == calibrate ]]; then
            COMPREPLY=($(compgen -W "$calibrate_options" -- "$current"))
        elif [[ $command == nvcc-flags ]]; then
            COMPREPLY=($(compgen -W "--arch --help" -- "$current"))
        elif [[ $command == explain ]]; then
            COMPREPLY=($(compgen -W "$explain_options" -- "$current"))
        elif ((COMP_CWORD == 1)); then
            COMPREPLY=($(compgen -W "$run_options --version" -- "$current"))
        else
            COMPREPLY=($(compgen -W "$run_options" -- "$current"))
        fi
        return
    fi
    ((COMP_CWORD == 1)) && COMPREPLY=($(compgen -W "run report explain calibrate nvcc-flags help" -- "$current"))
    COMPREPLY+=($(compgen -f -- "$current"))
}
complete -o filenames -F _bankrun bankrun
