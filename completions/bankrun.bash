# bash completion of bankrun, by what `bankrun help --list` says of commands and options

_bankrun() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=run
    local commands options="" name letter argument choices
    COMPREPLY=()
    commands=$("$1" help --list 2>/dev/null | cut -f 1)
    ((COMP_CWORD > 1)) && grep -qxFe "${COMP_WORDS[1]}" <<<"$commands" && command=${COMP_WORDS[1]}
    while IFS=$'\t' read -r name letter argument choices _; do
        options+="$name "
        [[ $argument != - && ($previous == "$name" || $previous == "-$letter") ]] || continue
        if [[ $choices != - ]]; then
            COMPREPLY=($(compgen -W "$choices" -- "$current"))
        elif [[ $argument == *FILE || $argument == PATH ]]; then
            COMPREPLY=($(compgen -f -- "$current"))
        fi
        return
    done < <("$1" help --list "$command" 2>/dev/null)
    if [[ $current == -* ]]; then
        ((COMP_CWORD == 1)) && options+=--version
        COMPREPLY=($(compgen -W "$options" -- "$current"))
        return
    fi
    ((COMP_CWORD == 1)) && COMPREPLY=($(compgen -W "$commands" -- "$current"))
    COMPREPLY+=($(compgen -f -- "$current"))
}
complete -o filenames -F _bankrun bankrun
