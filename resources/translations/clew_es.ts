<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="es" sourcelanguage="en">
  <context>
    <name>clew</name>
    <message>
      <source>  (read-only)</source>
      <translation>  (solo lectura)</translation>
    </message>
    <message>
      <source>  start {number}</source>
      <translation>  arranque {number}</translation>
    </message>
    <message>
      <source> (start {attempt})</source>
      <translation> (arranque {attempt})</translation>
    </message>
    <message>
      <source> ({done} of {total})</source>
      <translation> ({done} de {total})</translation>
    </message>
    <message>
      <source> And {more} more.</source>
      <translation> Y {more} más.</translation>
    </message>
    <message>
      <source> Choose the folder of the data.</source>
      <translation> Elija la carpeta de los datos.</translation>
    </message>
    <message>
      <source> Its file is gone since.</source>
      <translation> Su archivo ha desaparecido desde entonces.</translation>
    </message>
    <message>
      <source> Its file was changed since; what is restored has the draft's values.</source>
      <translation> Su archivo cambió desde entonces; lo que se restaura tiene los valores del borrador.</translation>
    </message>
    <message>
      <source> Nodes may also be named like {names}.</source>
      <translation> Los nodos también pueden llamarse como {names}.</translation>
    </message>
    <message>
      <source> Nothing is left on the nodes.</source>
      <translation> No queda nada en los nodos.</translation>
    </message>
    <message>
      <source> and </source>
      <translation> y </translation>
    </message>
    <message>
      <source> on {cluster}</source>
      <translation> en {cluster}</translation>
    </message>
    <message>
      <source> · about {time} for all that is missing</source>
      <translation> · unos {time} para todo lo que falta</translation>
    </message>
    <message>
      <source> · edited since: connect again</source>
      <translation> · modificado desde entonces: vuelva a conectar</translation>
    </message>
    <message>
      <source> · to be stopped</source>
      <translation> · por detener</translation>
    </message>
    <message>
      <source>! warning</source>
      <translation>! aviso</translation>
    </message>
    <message>
      <source>&amp;About Clew</source>
      <translation>&amp;Acerca de Clew</translation>
    </message>
    <message>
      <source>&amp;Add node</source>
      <translation>&amp;Añadir nodo</translation>
    </message>
    <message>
      <source>&amp;Check</source>
      <translation>&amp;Comprobar</translation>
    </message>
    <message>
      <source>&amp;Close</source>
      <translation>&amp;Cerrar</translation>
    </message>
    <message>
      <source>&amp;Connect</source>
      <translation>&amp;Conectar</translation>
    </message>
    <message>
      <source>&amp;Dark colours</source>
      <translation>Colores &amp;oscuros</translation>
    </message>
    <message>
      <source>&amp;Disconnect</source>
      <translation>&amp;Desconectar</translation>
    </message>
    <message>
      <source>&amp;Edit</source>
      <translation>&amp;Edición</translation>
    </message>
    <message>
      <source>&amp;Export</source>
      <translation>&amp;Exportar</translation>
    </message>
    <message>
      <source>&amp;Find anything…</source>
      <translation>&amp;Buscar cualquier cosa…</translation>
    </message>
    <message>
      <source>&amp;Help</source>
      <translation>A&amp;yuda</translation>
    </message>
    <message>
      <source>&amp;Import from SSH config…</source>
      <translation>&amp;Importar de la configuración SSH…</translation>
    </message>
    <message>
      <source>&amp;Keyboard</source>
      <translation>&amp;Teclado</translation>
    </message>
    <message>
      <source>&amp;Kill at once…</source>
      <translation>&amp;Matar al instante…</translation>
    </message>
    <message>
      <source>&amp;Launch</source>
      <translation>&amp;Lanzar</translation>
    </message>
    <message>
      <source>&amp;Light colours</source>
      <translation>&amp;Colores claros</translation>
    </message>
    <message>
      <source>&amp;Look again</source>
      <translation>&amp;Mirar otra vez</translation>
    </message>
    <message>
      <source>&amp;New profile</source>
      <translation>&amp;Nuevo perfil</translation>
    </message>
    <message>
      <source>&amp;Notifications</source>
      <translation>&amp;Notificaciones</translation>
    </message>
    <message>
      <source>&amp;Now…</source>
      <translation>&amp;Ahora…</translation>
    </message>
    <message>
      <source>&amp;Open its profile</source>
      <translation>&amp;Abrir su perfil</translation>
    </message>
    <message>
      <source>&amp;Open…</source>
      <translation>&amp;Abrir…</translation>
    </message>
    <message>
      <source>&amp;Parameter servers</source>
      <translation>Servidores de &amp;parámetros</translation>
    </message>
    <message>
      <source>&amp;Practice on this computer</source>
      <translation>&amp;Practicar en este ordenador</translation>
    </message>
    <message>
      <source>&amp;Profile</source>
      <translation>&amp;Perfil</translation>
    </message>
    <message>
      <source>&amp;Quit</source>
      <translation>&amp;Salir</translation>
    </message>
    <message>
      <source>&amp;Recent</source>
      <translation>&amp;Recientes</translation>
    </message>
    <message>
      <source>&amp;Redo</source>
      <translation>&amp;Rehacer</translation>
    </message>
    <message>
      <source>&amp;Repeats</source>
      <translation>&amp;Repeticiones</translation>
    </message>
    <message>
      <source>&amp;Resume</source>
      <translation>&amp;Reanudar</translation>
    </message>
    <message>
      <source>&amp;Run</source>
      <translation>E&amp;jecución</translation>
    </message>
    <message>
      <source>&amp;Save</source>
      <translation>&amp;Guardar</translation>
    </message>
    <message>
      <source>&amp;Start</source>
      <translation>&amp;Empezar</translation>
    </message>
    <message>
      <source>&amp;Stop the run</source>
      <translation>Detener la &amp;ejecución</translation>
    </message>
    <message>
      <source>&amp;System colours</source>
      <translation>Colores del &amp;sistema</translation>
    </message>
    <message>
      <source>&amp;Table as CSV…</source>
      <translation>&amp;Tabla como CSV…</translation>
    </message>
    <message>
      <source>&amp;Target accuracy</source>
      <translation>E&amp;xactitud objetivo</translation>
    </message>
    <message>
      <source>&amp;Undo</source>
      <translation>&amp;Deshacer</translation>
    </message>
    <message>
      <source>&amp;View</source>
      <translation>&amp;Ver</translation>
    </message>
    <message>
      <source>&amp;Workers</source>
      <translation>&amp;Workers</translation>
    </message>
    <message>
      <source>+ {count} more</source>
      <translation>+ {count} más</translation>
    </message>
    <message>
      <source>, and {count} more</source>
      <translation>, y {count} más</translation>
    </message>
    <message>
      <source>, and {count} more lines</source>
      <translation>, y {count} líneas más</translation>
    </message>
    <message>
      <source>, changing places with {other}</source>
      <translation>, cambiando de sitio con {other}</translation>
    </message>
    <message>
      <source>, cluster {cluster}</source>
      <translation>, clúster {cluster}</translation>
    </message>
    <message>
      <source>, down</source>
      <translation>, fuera de servicio</translation>
    </message>
    <message>
      <source>, slower than the other workers</source>
      <translation>, más lento que los demás workers</translation>
    </message>
    <message>
      <source>, start {attempt}</source>
      <translation>, arranque {attempt}</translation>
    </message>
    <message>
      <source>, values from {value} to {value2}</source>
      <translation>, valores de {value} a {value2}</translation>
    </message>
    <message>
      <source>, watched only: controlled from {controlled_from}</source>
      <translation>, solo se observa: controlada desde {controlled_from}</translation>
    </message>
    <message>
      <source>, {stalled} stalled</source>
      <translation>, {stalled} estancadas</translation>
    </message>
    <message>
      <source>0: none, the CPUs train</source>
      <translation>0: ninguna, entrenan las CPU</translation>
    </message>
    <message>
      <source>1 change</source>
      <translation>1 cambio</translation>
    </message>
    <message>
      <source>59 min ago</source>
      <translation>hace 59 min</translation>
    </message>
    <message>
      <source>64G, 500M; 0: all of the node</source>
      <translation>64G, 500M; 0: toda la del nodo</translation>
    </message>
    <message>
      <source>: no place here</source>
      <translation>: aquí no hay sitio</translation>
    </message>
    <message>
      <source>A TFRecord or checkpoint file is damaged or cut, or is of another kind.</source>
      <translation>Un archivo TFRecord o de punto de control está dañado o cortado, o es de otro tipo.</translation>
    </message>
    <message>
      <source>A YAML file that names your nodes</source>
      <translation>Un archivo YAML que nombra sus nodos</translation>
    </message>
    <message>
      <source>A check is going on.</source>
      <translation>Hay una comprobación en curso.</translation>
    </message>
    <message>
      <source>A check is going on. Cancel it, or wait for its end.</source>
      <translation>Hay una comprobación en curso. Cancélela o espere a que termine.</translation>
    </message>
    <message>
      <source>A closer look</source>
      <translation>Un examen más detenido</translation>
    </message>
    <message>
      <source>A computation on the GPU went wrong: a bug of a kernel or the driver, bad indices, or a GPU that fails.</source>
      <translation>Un cálculo en la GPU salió mal: un error de un kernel o del controlador, índices incorrectos o una GPU que falla.</translation>
    </message>
    <message>
      <source>A file of the data set is damaged, or no image.</source>
      <translation>Un archivo del conjunto de datos está dañado o no es una imagen.</translation>
    </message>
    <message>
      <source>A larger batch_size gives each step more to compute at once.</source>
      <translation>Un batch_size mayor da a cada paso más que calcular de una vez.</translation>
    </message>
    <message>
      <source>A larger batch_size makes fewer steps; another ps applies them faster.</source>
      <translation>Un batch_size mayor da menos pasos; otro ps los aplica más deprisa.</translation>
    </message>
    <message>
      <source>A larger batch_size, another ps or wire: bfloat16 make it less.</source>
      <translation>Un batch_size mayor, otro ps o wire: bfloat16 lo reducen.</translation>
    </message>
    <message>
      <source>A library that the program needs is not on this node, or not on its search path.</source>
      <translation>Una biblioteca que el programa necesita no está en este nodo, o no está en su ruta de búsqueda.</translation>
    </message>
    <message>
      <source>A mapped file could not be read or written: /dev/shm or a disk is full.</source>
      <translation>No se pudo leer o escribir un archivo proyectado en memoria: /dev/shm o un disco está lleno.</translation>
    </message>
    <message>
      <source>A new profile of hosts that ~/.ssh/config names</source>
      <translation>Un perfil nuevo con los hosts que nombra ~/.ssh/config</translation>
    </message>
    <message>
      <source>A node's own user or port, in the table, goes before what is said here.</source>
      <translation>El usuario o el puerto propios de un nodo, en la tabla, tienen prioridad sobre lo que se diga aquí.</translation>
    </message>
    <message>
      <source>A package was built for another major version of NumPy than the installed one.</source>
      <translation>Un paquete se compiló para otra versión principal de NumPy que la instalada.</translation>
    </message>
    <message>
      <source>A program of your own to run in every task, instead of a model: python train.py. It gets TF_CONFIG, and may report its steps.</source>
      <translation>Un programa propio que se ejecuta en cada tarea en lugar de un modelo: python train.py. Recibe TF_CONFIG y puede informar de sus pasos.</translation>
    </message>
    <message>
      <source>A program that environment.setup or the command calls is not on this node.</source>
      <translation>Un programa que llama environment.setup o la orden no está en este nodo.</translation>
    </message>
    <message>
      <source>A ps	P</source>
      <translation>Un ps	P</translation>
    </message>
    <message>
      <source>A run is going on.</source>
      <translation>Hay una ejecución en curso.</translation>
    </message>
    <message>
      <source>A run is going on. Check when it has ended.</source>
      <translation>Hay una ejecución en curso. Compruebe cuando haya terminado.</translation>
    </message>
    <message>
      <source>A run is going on. Stop it first, or wait for its end.</source>
      <translation>Hay una ejecución en curso. Deténgala primero o espere a que termine.</translation>
    </message>
    <message>
      <source>A run is going on. Stop it first.</source>
      <translation>Hay una ejecución en curso. Deténgala primero.</translation>
    </message>
    <message>
      <source>A run of the study failed, {point}: {what}</source>
      <translation>Falló una ejecución del estudio, {point}: {what}</translation>
    </message>
    <message>
      <source>A script finds its files under CLEW_CODE, CLEW_DATA and CLEW_CHECKPOINTS.</source>
      <translation>Un script encuentra sus archivos en CLEW_CODE, CLEW_DATA y CLEW_CHECKPOINTS.</translation>
    </message>
    <message>
      <source>A small network on made-up images, 200 steps: shows that all of it works</source>
      <translation>Una red pequeña con imágenes inventadas, 200 pasos: muestra que todo funciona</translation>
    </message>
    <message>
      <source>A small network, one worker on each GPU, two epochs; give the folder of MNIST</source>
      <translation>Una red pequeña, un worker en cada GPU, dos épocas; indique la carpeta de MNIST</translation>
    </message>
    <message>
      <source>A training with mistakes is no preset.</source>
      <translation>Un entrenamiento con errores no es un preajuste.</translation>
    </message>
    <message>
      <source>A worker	W</source>
      <translation>Un worker	W</translation>
    </message>
    <message>
      <source>About</source>
      <translation>Sobre</translation>
    </message>
    <message>
      <source>About Clew</source>
      <translation>Acerca de Clew</translation>
    </message>
    <message>
      <source>Account</source>
      <translation>Cuenta</translation>
    </message>
    <message>
      <source>Accuracy</source>
      <translation>Exactitud</translation>
    </message>
    <message>
      <source>Actions, pages, profiles, logs and runs</source>
      <translation>Acciones, páginas, perfiles, registros y ejecuciones</translation>
    </message>
    <message>
      <source>Add</source>
      <translation>Añadir</translation>
    </message>
    <message>
      <source>Add a S&amp;lurm cluster…</source>
      <translation>Añadir un clúster S&amp;lurm…</translation>
    </message>
    <message>
      <source>Add a Slurm cluster…</source>
      <translation>Añadir un clúster Slurm…</translation>
    </message>
    <message>
      <source>Add a node first.</source>
      <translation>Añada primero un nodo.</translation>
    </message>
    <message>
      <source>Add a node to the profile</source>
      <translation>Añade un nodo al perfil</translation>
    </message>
    <message>
      <source>Add a ps</source>
      <translation>Añadir un ps</translation>
    </message>
    <message>
      <source>Add a ps on this node</source>
      <translation>Añadir un ps en este nodo</translation>
    </message>
    <message>
      <source>Add a worker</source>
      <translation>Añadir un worker</translation>
    </message>
    <message>
      <source>Add a worker  (W on the board) or a ps  (P)</source>
      <translation>Añade un worker  (W en el tablero) o un ps  (P)</translation>
    </message>
    <message>
      <source>Add a worker here</source>
      <translation>Añadir un worker aquí</translation>
    </message>
    <message>
      <source>Add a worker, add a ps</source>
      <translation>Añadir un worker, añadir un ps</translation>
    </message>
    <message>
      <source>Add it to environment.packages, name the Python that has it, or set training.code.</source>
      <translation>Añádalo a environment.packages, indique el Python que lo tiene o fije training.code.</translation>
    </message>
    <message>
      <source>Add node</source>
      <translation>Añadir nodo</translation>
    </message>
    <message>
      <source>Add nodes from the hosts of ~/.ssh/config</source>
      <translation>Añade nodos de los hosts de ~/.ssh/config</translation>
    </message>
    <message>
      <source>Add {nodes}</source>
      <translation>Añadir {nodes}</translation>
    </message>
    <message>
      <source>Added {words}.</source>
      <translation>Añadido: {words}.</translation>
    </message>
    <message>
      <source>Address</source>
      <translation>Dirección</translation>
    </message>
    <message>
      <source>After a &amp;checkpoint</source>
      <translation>Tras un &amp;punto de control</translation>
    </message>
    <message>
      <source>After running so long, the pauses begin anew.</source>
      <translation>Tras funcionar tanto tiempo, las pausas empiezan de nuevo.</translation>
    </message>
    <message>
      <source>After this &amp;run</source>
      <translation>Tras esta e&amp;jecución</translation>
    </message>
    <message>
      <source>Age</source>
      <translation>Edad</translation>
    </message>
    <message>
      <source>All &amp;runs as CSV…</source>
      <translation>Todas las e&amp;jecuciones como CSV…</translation>
    </message>
    <message>
      <source>All as by default.</source>
      <translation>Todo como por defecto.</translation>
    </message>
    <message>
      <source>All as it is saved.</source>
      <translation>Todo como está guardado.</translation>
    </message>
    <message>
      <source>All devices</source>
      <translation>Todos los dispositivos</translation>
    </message>
    <message>
      <source>All keys</source>
      <translation>Todas las teclas</translation>
    </message>
    <message>
      <source>All lines</source>
      <translation>Todas las líneas</translation>
    </message>
    <message>
      <source>All nodes are ready. Launch when you are.</source>
      <translation>Todos los nodos están listos. Lance cuando quiera.</translation>
    </message>
    <message>
      <source>All runs are made.</source>
      <translation>Todas las ejecuciones están hechas.</translation>
    </message>
    <message>
      <source>All settings are the same.</source>
      <translation>Todos los ajustes son iguales.</translation>
    </message>
    <message>
      <source>All tasks</source>
      <translation>Todas las tareas</translation>
    </message>
    <message>
      <source>All that are shown</source>
      <translation>Todos los que se muestran</translation>
    </message>
    <message>
      <source>All workers take each step together, with a step size for all of them</source>
      <translation>Todos los workers dan juntos cada paso, con un tamaño de paso para todos</translation>
    </message>
    <message>
      <source>All workers together: computing, push and pull, waiting, input</source>
      <translation>Todos los workers juntos: cálculo, envío y recepción, espera, entrada</translation>
    </message>
    <message>
      <source>All {count} tasks</source>
      <translation>Las {count} tareas</translation>
    </message>
    <message>
      <source>Also as a &amp;single process</source>
      <translation>También como un &amp;solo proceso</translation>
    </message>
    <message>
      <source>Also try it on the other nodes</source>
      <translation>Probarla también en los demás nodos</translation>
    </message>
    <message>
      <source>Also what is &amp;well</source>
      <translation>También lo que está &amp;bien</translation>
    </message>
    <message>
      <source>An action, a page, a profile, a task's log, a run or its tag</source>
      <translation>Una acción, una página, un perfil, el registro de una tarea, una ejecución o su etiqueta</translation>
    </message>
    <message>
      <source>And {count} more warnings: see All tasks.</source>
      <translation>Y {count} avisos más: véase Todas las tareas.</translation>
    </message>
    <message>
      <source>And {more} more, marked on the board.</source>
      <translation>Y {more} más, marcados en el tablero.</translation>
    </message>
    <message>
      <source>Another process listens on that port, perhaps one of an earlier run.</source>
      <translation>Otro proceso escucha en ese puerto, quizá de una ejecución anterior.</translation>
    </message>
    <message>
      <source>Another study is going on. Stop it first, or wait for its end.</source>
      <translation>Hay otro estudio en curso. Deténgalo primero o espere a que termine.</translation>
    </message>
    <message>
      <source>Another task went away: what happened there is the cause.</source>
      <translation>Otra tarea desapareció: lo que pasó allí es la causa.</translation>
    </message>
    <message>
      <source>Answer…</source>
      <translation>Responder…</translation>
    </message>
    <message>
      <source>Any state</source>
      <translation>Cualquier estado</translation>
    </message>
    <message>
      <source>Any time</source>
      <translation>Cualquier fecha</translation>
    </message>
    <message>
      <source>Are these really your {count} machines?</source>
      <translation>¿Son estas de verdad sus {count} máquinas?</translation>
    </message>
    <message>
      <source>Arrow keys go from task to task; M picks one up, arrows choose its place, Enter drops it, Escape leaves it where it was.</source>
      <translation>Las flechas van de tarea en tarea; M coge una, las flechas eligen su sitio, Intro la suelta y Escape la deja donde estaba.</translation>
    </message>
    <message>
      <source>Arrows, Tab</source>
      <translation>Flechas, Tab</translation>
    </message>
    <message>
      <source>Ask Slurm again</source>
      <translation>Preguntar otra vez a Slurm</translation>
    </message>
    <message>
      <source>Ask for</source>
      <translation>Pedir</translation>
    </message>
    <message>
      <source>Ask for more memory, use a smaller batch, or load less data at a time.</source>
      <translation>Pida más memoria, use un lote más pequeño o cargue menos datos a la vez.</translation>
    </message>
    <message>
      <source>Ask for more time, and set checkpoint_every_s so that little is lost.</source>
      <translation>Pida más tiempo y fije checkpoint_every_s para que se pierda poco.</translation>
    </message>
    <message>
      <source>Ask the administrator for a newer driver; TensorFlow will see no GPU before.</source>
      <translation>Pida al administrador un controlador más nuevo; hasta entonces TensorFlow no verá ninguna GPU.</translation>
    </message>
    <message>
      <source>Ask the administrator to raise nofile in /etc/security/limits.conf.</source>
      <translation>Pida al administrador que suba nofile en /etc/security/limits.conf.</translation>
    </message>
    <message>
      <source>Ask them, or leave it out of gpus.</source>
      <translation>Pregúnteles o déjela fuera de gpus.</translation>
    </message>
    <message>
      <source>Asking Slurm about its partitions …</source>
      <translation>Preguntando a Slurm por sus particiones …</translation>
    </message>
    <message>
      <source>At most {most} runs at a time.</source>
      <translation>Como máximo {most} ejecuciones a la vez.</translation>
    </message>
    <message>
      <source>Automatic</source>
      <translation>Automático</translation>
    </message>
    <message>
      <source>Back</source>
      <translation>Atrás</translation>
    </message>
    <message>
      <source>Back to all runs  (Alt+Left)</source>
      <translation>Volver a todas las ejecuciones  (Alt+Izquierda)</translation>
    </message>
    <message>
      <source>Backoff</source>
      <translation>Pausa</translation>
    </message>
    <message>
      <source>Backoff cap</source>
      <translation>Pausa máxima</translation>
    </message>
    <message>
      <source>Backup workers</source>
      <translation>Workers de reserva</translation>
    </message>
    <message>
      <source>Baseline</source>
      <translation>Referencia</translation>
    </message>
    <message>
      <source>Baseline: one process</source>
      <translation>Referencia: un proceso</translation>
    </message>
    <message>
      <source>Batch size</source>
      <translation>Tamaño de lote</translation>
    </message>
    <message>
      <source>Because of it: {names}{more}.</source>
      <translation>A causa de ello: {names}{more}.</translation>
    </message>
    <message>
      <source>Begin with a training that is known to work, or keep this one</source>
      <translation>Empezar con un entrenamiento que se sabe que funciona, o conservar este</translation>
    </message>
    <message>
      <source>Bring back</source>
      <translation>Recuperar</translation>
    </message>
    <message>
      <source>Bring the question to the front</source>
      <translation>Trae la pregunta al frente</translation>
    </message>
    <message>
      <source>By elapsed time</source>
      <translation>Por tiempo transcurrido</translation>
    </message>
    <message>
      <source>By examples</source>
      <translation>Por ejemplos</translation>
    </message>
    <message>
      <source>By step</source>
      <translation>Por paso</translation>
    </message>
    <message>
      <source>C&amp;heck</source>
      <translation>Co&amp;mprobar</translation>
    </message>
    <message>
      <source>CPUs</source>
      <translation>CPU</translation>
    </message>
    <message>
      <source>CPUs per node</source>
      <translation>CPU por nodo</translation>
    </message>
    <message>
      <source>Calls in flight</source>
      <translation>Llamadas en vuelo</translation>
    </message>
    <message>
      <source>Cancel</source>
      <translation>Cancelar</translation>
    </message>
    <message>
      <source>Cancel it, or wait for its end.</source>
      <translation>Cancélela o espere a que termine.</translation>
    </message>
    <message>
      <source>Cancel run {run_id}?</source>
      <translation>¿Cancelar la ejecución {run_id}?</translation>
    </message>
    <message>
      <source>Cancel the job</source>
      <translation>Cancelar el trabajo</translation>
    </message>
    <message>
      <source>Cancel the job…</source>
      <translation>Cancelar el trabajo…</translation>
    </message>
    <message>
      <source>Cancelled. What was found until then is below.</source>
      <translation>Cancelada. Abajo está lo que se encontró hasta entonces.</translation>
    </message>
    <message>
      <source>Cause not found</source>
      <translation>Causa no encontrada</translation>
    </message>
    <message>
      <source>Change brightness, saturation, hue and contrast of imagenet's training images at random, as Inception was trained; crops and flips are random in any case.</source>
      <translation>Cambiar al azar el brillo, la saturación, el tono y el contraste de las imágenes de entrenamiento de imagenet, como se entrenó Inception; los recortes y volteos son aleatorios en todo caso.</translation>
    </message>
    <message>
      <source>Change the file's permissions, or use another folder.</source>
      <translation>Cambie los permisos del archivo o use otra carpeta.</translation>
    </message>
    <message>
      <source>Changes</source>
      <translation>Cambios</translation>
    </message>
    <message>
      <source>Changes to the training</source>
      <translation>Cambios del entrenamiento</translation>
    </message>
    <message>
      <source>Charts</source>
      <translation>Gráficos</translation>
    </message>
    <message>
      <source>Charts that are shown</source>
      <translation>Gráficos que se muestran</translation>
    </message>
    <message>
      <source>Check</source>
      <translation>Comprobar</translation>
    </message>
    <message>
      <source>Check that the node is up</source>
      <translation>Compruebe que el nodo está encendido</translation>
    </message>
    <message>
      <source>Check the nodes and the ways between them</source>
      <translation>Comprueba los nodos y los caminos entre ellos</translation>
    </message>
    <message>
      <source>Check the user, and that the node has your public key (ssh-copy-id) or takes your password</source>
      <translation>Compruebe el usuario y que el nodo tiene su clave pública (ssh-copy-id) o acepta su contraseña</translation>
    </message>
    <message>
      <source>Check with he&amp;llo</source>
      <translation>Comprobar con he&amp;llo</translation>
    </message>
    <message>
      <source>Checked in {seconds:.1f} s: {what}.</source>
      <translation>Comprobado en {seconds:.1f} s: {what}.</translation>
    </message>
    <message>
      <source>Checking …</source>
      <translation>Comprobando …</translation>
    </message>
    <message>
      <source>Checking: {step} …</source>
      <translation>Comprobando: {step} …</translation>
    </message>
    <message>
      <source>Checkpoint every</source>
      <translation>Punto de control cada</translation>
    </message>
    <message>
      <source>Checkpoint keep</source>
      <translation>Puntos de control guardados</translation>
    </message>
    <message>
      <source>Choice</source>
      <translation>Opción</translation>
    </message>
    <message>
      <source>Choose a run first.</source>
      <translation>Elija primero una ejecución.</translation>
    </message>
    <message>
      <source>Choose a single run for this.</source>
      <translation>Elija una sola ejecución para esto.</translation>
    </message>
    <message>
      <source>Choose another folder.</source>
      <translation>Elija otra carpeta.</translation>
    </message>
    <message>
      <source>Choose the charts that are shown</source>
      <translation>Elige los gráficos que se muestran</translation>
    </message>
    <message>
      <source>Choose the key file</source>
      <translation>Elegir el archivo de clave</translation>
    </message>
    <message>
      <source>Choose two runs or more: Ctrl or Shift with a click or an arrow key.</source>
      <translation>Elija dos ejecuciones o más: Ctrl o Mayús con un clic o una flecha.</translation>
    </message>
    <message>
      <source>Choose {label}</source>
      <translation>Elegir {label}</translation>
    </message>
    <message>
      <source>Choose…</source>
      <translation>Elegir…</translation>
    </message>
    <message>
      <source>Clear</source>
      <translation>Limpiar</translation>
    </message>
    <message>
      <source>Clew may be closed meanwhile: the job starts, trains and ends by itself.</source>
      <translation>Mientras tanto se puede cerrar Clew: el trabajo empieza, entrena y termina por sí solo.</translation>
    </message>
    <message>
      <source>Clew was cut off: {title} had changes that were not saved</source>
      <translation>Clew se interrumpió: {title} tenía cambios sin guardar</translation>
    </message>
    <message>
      <source>Clew: no run is going on</source>
      <translation>Clew: no hay ninguna ejecución en curso</translation>
    </message>
    <message>
      <source>Clew: run {run_id} failed</source>
      <translation>Clew: la ejecución {run_id} falló</translation>
    </message>
    <message>
      <source>Clew: run {run_id} is {state}</source>
      <translation>Clew: ejecución {run_id}: {state}</translation>
    </message>
    <message>
      <source>Clew: {state}</source>
      <translation>Clew: {state}</translation>
    </message>
    <message>
      <source>Clip norm</source>
      <translation>Norma máxima</translation>
    </message>
    <message>
      <source>Clip value</source>
      <translation>Valor máximo</translation>
    </message>
    <message>
      <source>Close files, or raise the limit: put ulimit -n 65536 into environment.setup.</source>
      <translation>Cierre archivos o suba el límite: ponga ulimit -n 65536 en environment.setup.</translation>
    </message>
    <message>
      <source>Close now</source>
      <translation>Cerrar ahora</translation>
    </message>
    <message>
      <source>Close the window</source>
      <translation>Cierra la ventana</translation>
    </message>
    <message>
      <source>Close when it has stopped</source>
      <translation>Cerrar cuando se haya detenido</translation>
    </message>
    <message>
      <source>Cluster</source>
      <translation>Clúster</translation>
    </message>
    <message>
      <source>Code</source>
      <translation>Código</translation>
    </message>
    <message>
      <source>Color distortion</source>
      <translation>Distorsión del color</translation>
    </message>
    <message>
      <source>Command</source>
      <translation>Orden</translation>
    </message>
    <message>
      <source>Commands in your SSH configuration</source>
      <translation>Órdenes en su configuración SSH</translation>
    </message>
    <message>
      <source>Compare</source>
      <translation>Comparar</translation>
    </message>
    <message>
      <source>Compare	C</source>
      <translation>Comparar	C</translation>
    </message>
    <message>
      <source>Compare shows them together.</source>
      <translation>Comparar las muestra juntas.</translation>
    </message>
    <message>
      <source>Compare sizes of the cluster</source>
      <translation>Comparar tamaños del clúster</translation>
    </message>
    <message>
      <source>Compare the chosen runs</source>
      <translation>Comparar las ejecuciones elegidas</translation>
    </message>
    <message>
      <source>Compare the fingerprint with one from the machine's administrator, or from ssh-keygen -lf on the machine itself.</source>
      <translation>Compare la huella con la del administrador de la máquina, o con la de ssh-keygen -lf en la propia máquina.</translation>
    </message>
    <message>
      <source>Compare the shape of one example with the model's input_shape.</source>
      <translation>Compare la forma de un ejemplo con el input_shape del modelo.</translation>
    </message>
    <message>
      <source>Compare with the saved profile, and take single choices back</source>
      <translation>Comparar con el perfil guardado y deshacer opciones sueltas</translation>
    </message>
    <message>
      <source>Compared runs</source>
      <translation>Ejecuciones comparadas</translation>
    </message>
    <message>
      <source>Compute in bfloat16 where the GPU can; variables stay float32.</source>
      <translation>Calcular en bfloat16 donde la GPU pueda; las variables siguen en float32.</translation>
    </message>
    <message>
      <source>Computing takes {n}% of the time, but the GPUs are used {m}% only.</source>
      <translation>El cálculo ocupa el {n} % del tiempo, pero las GPU solo se usan al {m} %.</translation>
    </message>
    <message>
      <source>Computing takes {n}% of the time: the devices limit the run.</source>
      <translation>El cálculo ocupa el {n} % del tiempo: los dispositivos limitan la ejecución.</translation>
    </message>
    <message>
      <source>Conditions with commands</source>
      <translation>Condiciones con órdenes</translation>
    </message>
    <message>
      <source>Connect</source>
      <translation>Conectar</translation>
    </message>
    <message>
      <source>Connect again</source>
      <translation>Vuelva a conectar</translation>
    </message>
    <message>
      <source>Connect again, which ends what waits, or: clew stop {run_id}</source>
      <translation>Vuelva a conectar, lo que termina lo pendiente, o bien: clew stop {run_id}</translation>
    </message>
    <message>
      <source>Connect again.</source>
      <translation>Vuelva a conectar.</translation>
    </message>
    <message>
      <source>Connect to all nodes, or try again</source>
      <translation>Conecta con todos los nodos, o lo intenta de nuevo</translation>
    </message>
    <message>
      <source>Connect to see the plan.</source>
      <translation>Conecte para ver el plan.</translation>
    </message>
    <message>
      <source>Connect to the login node to see partitions, limits and free GPUs.</source>
      <translation>Conecte con el nodo de acceso para ver particiones, límites y GPU libres.</translation>
    </message>
    <message>
      <source>Connect to the nodes first.</source>
      <translation>Conecte primero con los nodos.</translation>
    </message>
    <message>
      <source>Connect to the nodes: each task then stands on its node here, and can be moved to another one or to another GPU.</source>
      <translation>Conecte con los nodos: cada tarea aparecerá aquí en su nodo y podrá moverse a otro o a otra GPU.</translation>
    </message>
    <message>
      <source>Connect to them first.</source>
      <translation>Conecte primero con ellos.</translation>
    </message>
    <message>
      <source>Connect, then follow it from the Runs page.</source>
      <translation>Conecte y después sígala desde la página Ejecuciones.</translation>
    </message>
    <message>
      <source>Constraint</source>
      <translation>Restricción</translation>
    </message>
    <message>
      <source>Copy</source>
      <translation>Copiar</translation>
    </message>
    <message>
      <source>Copy lines</source>
      <translation>Copiar líneas</translation>
    </message>
    <message>
      <source>Copy message</source>
      <translation>Copiar mensaje</translation>
    </message>
    <message>
      <source>Copy picture</source>
      <translation>Copiar imagen</translation>
    </message>
    <message>
      <source>Copy remedy</source>
      <translation>Copiar remedio</translation>
    </message>
    <message>
      <source>Copy ssh command</source>
      <translation>Copiar orden ssh</translation>
    </message>
    <message>
      <source>Copy the findings of a check</source>
      <translation>Copiar los hallazgos de una comprobación</translation>
    </message>
    <message>
      <source>Copy the run's id</source>
      <translation>Copiar el identificador de la ejecución</translation>
    </message>
    <message>
      <source>Copy the selected lines, or all that are shown  (Ctrl+C)</source>
      <translation>Copia las líneas seleccionadas, o todas las que se muestran  (Ctrl+C)</translation>
    </message>
    <message>
      <source>Copy this message</source>
      <translation>Copiar este mensaje</translation>
    </message>
    <message>
      <source>Copy what is shown</source>
      <translation>Copiar lo que se muestra</translation>
    </message>
    <message>
      <source>Copy what is shown  (Ctrl+C on the board)</source>
      <translation>Copia lo que se muestra  (Ctrl+C en el tablero)</translation>
    </message>
    <message>
      <source>Copy what the plan means for the task</source>
      <translation>Copiar lo que el plan significa para la tarea</translation>
    </message>
    <message>
      <source>Correct the name, or load the module that has it in environment.setup.</source>
      <translation>Corrija el nombre o cargue el módulo que lo tiene en environment.setup.</translation>
    </message>
    <message>
      <source>Correct training.command.</source>
      <translation>Corrija training.command.</translation>
    </message>
    <message>
      <source>Custom</source>
      <translation>A medida</translation>
    </message>
    <message>
      <source>Dark colours</source>
      <translation>Colores oscuros</translation>
    </message>
    <message>
      <source>Data network</source>
      <translation>Red de datos</translation>
    </message>
    <message>
      <source>Data on the node's own disk, TFRecord shards (clew data) or more cores help.</source>
      <translation>Ayudan los datos en el disco del propio nodo, fragmentos TFRecord (clew data) o más núcleos.</translation>
    </message>
    <message>
      <source>Dataset</source>
      <translation>Conjunto de datos</translation>
    </message>
    <message>
      <source>Dataset folder</source>
      <translation>Carpeta de los datos</translation>
    </message>
    <message>
      <source>Dataset is on</source>
      <translation>Los datos están en</translation>
    </message>
    <message>
      <source>Decay of past gradients; used by momentum.</source>
      <translation>Decaimiento de los gradientes pasados; lo usa momentum.</translation>
    </message>
    <message>
      <source>Decay rate</source>
      <translation>Factor de decaimiento</translation>
    </message>
    <message>
      <source>Decay steps</source>
      <translation>Pasos de decaimiento</translation>
    </message>
    <message>
      <source>Delete</source>
      <translation>Borrar</translation>
    </message>
    <message>
      <source>Delete	Del</source>
      <translation>Borrar	Del</translation>
    </message>
    <message>
      <source>Delete from this computer  (Del)</source>
      <translation>Borra de este ordenador  (Supr)</translation>
    </message>
    <message>
      <source>Delete preset</source>
      <translation>Borrar preajuste</translation>
    </message>
    <message>
      <source>Delete some first.</source>
      <translation>Borre antes algunos.</translation>
    </message>
    <message>
      <source>Delete what is not needed, or set storage.root to another disk.</source>
      <translation>Borre lo que no haga falta o fije storage.root en otro disco.</translation>
    </message>
    <message>
      <source>Delete, bring back</source>
      <translation>Borrar, recuperar</translation>
    </message>
    <message>
      <source>Detail</source>
      <translation>Detalle</translation>
    </message>
    <message>
      <source>Details</source>
      <translation>Detalles</translation>
    </message>
    <message>
      <source>Device</source>
      <translation>Dispositivo</translation>
    </message>
    <message>
      <source>Devices</source>
      <translation>Dispositivos</translation>
    </message>
    <message>
      <source>Devices that are shown</source>
      <translation>Dispositivos que se muestran</translation>
    </message>
    <message>
      <source>Dialling</source>
      <translation>Llamadas</translation>
    </message>
    <message>
      <source>Discard</source>
      <translation>Descartar</translation>
    </message>
    <message>
      <source>Dismiss</source>
      <translation>Descartar</translation>
    </message>
    <message>
      <source>Dismiss all notices; close a dialog</source>
      <translation>Descartar todos los avisos; cerrar un diálogo</translation>
    </message>
    <message>
      <source>Distribution</source>
      <translation>Distribución</translation>
    </message>
    <message>
      <source>Do not connect; ask the administrator</source>
      <translation>No conecte; pregunte al administrador</translation>
    </message>
    <message>
      <source>Do not run them</source>
      <translation>No ejecutarlas</translation>
    </message>
    <message>
      <source>Drag to move, wheel to zoom, double click to see all again</source>
      <translation>Arrastrar para mover, rueda para ampliar, doble clic para verlo todo</translation>
    </message>
    <message>
      <source>Drawings (*.svg)</source>
      <translation>Dibujos (*.svg)</translation>
    </message>
    <message>
      <source>Earlier run, or folder of checkpoints on the chief's node, to go on from.</source>
      <translation>Ejecución anterior, o carpeta de puntos de control en el nodo del jefe, desde la que continuar.</translation>
    </message>
    <message>
      <source>Edit</source>
      <translation>Edición</translation>
    </message>
    <message>
      <source>Edit note	F2</source>
      <translation>Editar nota	F2</translation>
    </message>
    <message>
      <source>Edit tags	T</source>
      <translation>Editar etiquetas	T</translation>
    </message>
    <message>
      <source>Edit the cell of the node table</source>
      <translation>Editar la celda de la tabla de nodos</translation>
    </message>
    <message>
      <source>Edit the note, the tags</source>
      <translation>Editar la nota, las etiquetas</translation>
    </message>
    <message>
      <source>Elapsed</source>
      <translation>Tiempo</translation>
    </message>
    <message>
      <source>End</source>
      <translation>Fin</translation>
    </message>
    <message>
      <source>End it (clew stop of that run), or set ports.first to other ports.</source>
      <translation>Termínelo (clew stop de esa ejecución) o fije ports.first en otros puertos.</translation>
    </message>
    <message>
      <source>End it in .png or .svg.</source>
      <translation>Haga que termine en .png o .svg.</translation>
    </message>
    <message>
      <source>End that program, or set ports.first in the profile to another number.</source>
      <translation>Termine ese programa o fije ports.first del perfil en otro número.</translation>
    </message>
    <message>
      <source>Ended</source>
      <translation>Terminó</translation>
    </message>
    <message>
      <source>Ends after this run.</source>
      <translation>Termina tras esta ejecución.</translation>
    </message>
    <message>
      <source>Enter</source>
      <translation>Intro</translation>
    </message>
    <message>
      <source>Enter takes the partition into the form</source>
      <translation>Intro lleva la partición al formulario</translation>
    </message>
    <message>
      <source>Environment</source>
      <translation>Entorno</translation>
    </message>
    <message>
      <source>Epochs</source>
      <translation>Épocas</translation>
    </message>
    <message>
      <source>Errors</source>
      <translation>Errores</translation>
    </message>
    <message>
      <source>Evaluate every</source>
      <translation>Evaluar cada</translation>
    </message>
    <message>
      <source>Every process is killed; the steps since the last checkpoint are lost.</source>
      <translation>Se mata cada proceso; se pierden los pasos desde el último punto de control.</translation>
    </message>
    <message>
      <source>Every run that was started, followed or imported here</source>
      <translation>Cada ejecución que se inició, siguió o importó aquí</translation>
    </message>
    <message>
      <source>Every {each} has its worker. Connect more nodes, or move a worker away.</source>
      <translation>Cada {each} tiene su worker. Conecte más nodos o mueva un worker.</translation>
    </message>
    <message>
      <source>Everything as &amp;PNG…</source>
      <translation>Todo como &amp;PNG…</translation>
    </message>
    <message>
      <source>Everything as &amp;SVG…</source>
      <translation>Todo como &amp;SVG…</translation>
    </message>
    <message>
      <source>Everything as PNG…</source>
      <translation>Todo como PNG…</translation>
    </message>
    <message>
      <source>Everything as SVG…</source>
      <translation>Todo como SVG…</translation>
    </message>
    <message>
      <source>Everywhere</source>
      <translation>En todas partes</translation>
    </message>
    <message>
      <source>Examples</source>
      <translation>Ejemplos</translation>
    </message>
    <message>
      <source>Examples in one step of one worker.</source>
      <translation>Ejemplos en un paso de un worker.</translation>
    </message>
    <message>
      <source>Examples/s</source>
      <translation>Ejemplos/s</translation>
    </message>
    <message>
      <source>Export</source>
      <translation>Exportar</translation>
    </message>
    <message>
      <source>Export run</source>
      <translation>Exportar ejecución</translation>
    </message>
    <message>
      <source>Factor of the schedules step and exponential.</source>
      <translation>Factor de las programaciones step y exponential.</translation>
    </message>
    <message>
      <source>Features of nodes, like a100&amp;nvlink</source>
      <translation>Características de los nodos, como a100&amp;nvlink</translation>
    </message>
    <message>
      <source>Filter</source>
      <translation>Filtrar</translation>
    </message>
    <message>
      <source>Filter by host, address, user or jump host</source>
      <translation>Filtrar por host, dirección, usuario o host de salto</translation>
    </message>
    <message>
      <source>Filter by name, model, state, tag or note  (Ctrl+F)</source>
      <translation>Filtrar por nombre, modelo, estado, etiqueta o nota  (Ctrl+F)</translation>
    </message>
    <message>
      <source>Filter runs</source>
      <translation>Filtrar ejecuciones</translation>
    </message>
    <message>
      <source>Final fraction</source>
      <translation>Fracción final</translation>
    </message>
    <message>
      <source>Final numbers</source>
      <translation>Números finales</translation>
    </message>
    <message>
      <source>Final numbers of the runs</source>
      <translation>Números finales de las ejecuciones</translation>
    </message>
    <message>
      <source>Find and remove what runs have left</source>
      <translation>Busca y elimina lo que han dejado las ejecuciones</translation>
    </message>
    <message>
      <source>Find anything</source>
      <translation>Buscar cualquier cosa</translation>
    </message>
    <message>
      <source>Findings</source>
      <translation>Hallazgos</translation>
    </message>
    <message>
      <source>Findings ({count})</source>
      <translation>Hallazgos ({count})</translation>
    </message>
    <message>
      <source>Fingerprint</source>
      <translation>Huella</translation>
    </message>
    <message>
      <source>First failure</source>
      <translation>Primer fallo</translation>
    </message>
    <message>
      <source>First try, no data needed</source>
      <translation>Primera prueba, sin datos</translation>
    </message>
    <message>
      <source>Fix the profile first: {mistake}</source>
      <translation>Corrija primero el perfil: {mistake}</translation>
    </message>
    <message>
      <source>Fix the profile's mistakes first.</source>
      <translation>Corrija primero los errores del perfil.</translation>
    </message>
    <message>
      <source>Fix what is marked first.</source>
      <translation>Corrija primero lo marcado.</translation>
    </message>
    <message>
      <source>Folder for the tables</source>
      <translation>Carpeta para las tablas</translation>
    </message>
    <message>
      <source>Folder that holds the data set's files.</source>
      <translation>Carpeta con los archivos del conjunto de datos.</translation>
    </message>
    <message>
      <source>Folder with your own modules and scripts; it is sent to the nodes.</source>
      <translation>Carpeta con sus propios módulos y scripts; se envía a los nodos.</translation>
    </message>
    <message>
      <source>Follow</source>
      <translation>Seguir</translation>
    </message>
    <message>
      <source>Follow live</source>
      <translation>Seguir en vivo</translation>
    </message>
    <message>
      <source>Follow the newest values</source>
      <translation>Seguir los valores más nuevos</translation>
    </message>
    <message>
      <source>For all nodes</source>
      <translation>Para todos los nodos</translation>
    </message>
    <message>
      <source>For all nodes…</source>
      <translation>Para todos los nodos…</translation>
    </message>
    <message>
      <source>Found</source>
      <translation>Encontrado</translation>
    </message>
    <message>
      <source>Free software under the {licence}.</source>
      <translation>Software libre bajo la {licence}.</translation>
    </message>
    <message>
      <source>Free some space there, or set storage.root in the profile to another disk.</source>
      <translation>Libere espacio allí o fije storage.root del perfil en otro disco.</translation>
    </message>
    <message>
      <source>Free some space there.</source>
      <translation>Libere espacio allí.</translation>
    </message>
    <message>
      <source>From</source>
      <translation>De</translation>
    </message>
    <message>
      <source>GPU type</source>
      <translation>Tipo de GPU</translation>
    </message>
    <message>
      <source>GPU {gpu} is in use: {who}</source>
      <translation>La GPU {gpu} está en uso: {who}</translation>
    </message>
    <message>
      <source>GPU {gpu} of {name} cannot be used: {why_not}.</source>
      <translation>La GPU {gpu} de {name} no se puede usar: {why_not}.</translation>
    </message>
    <message>
      <source>GPUs free</source>
      <translation>GPU libres</translation>
    </message>
    <message>
      <source>GPUs per node</source>
      <translation>GPU por nodo</translation>
    </message>
    <message>
      <source>Give a place to every task that has none</source>
      <translation>Da un sitio a cada tarea que no lo tiene</translation>
    </message>
    <message>
      <source>Give the last layer one output for each class; labels count from 0.</source>
      <translation>Dé a la última capa una salida por clase; las etiquetas cuentan desde 0.</translation>
    </message>
    <message>
      <source>Give up</source>
      <translation>Renunciar</translation>
    </message>
    <message>
      <source>Give up nodes</source>
      <translation>Renunciar a nodos</translation>
    </message>
    <message>
      <source>Give up nodes…</source>
      <translation>Renunciar a nodos…</translation>
    </message>
    <message>
      <source>Global steps between evaluations while training goes on.</source>
      <translation>Pasos globales entre evaluaciones mientras sigue el entrenamiento.</translation>
    </message>
    <message>
      <source>Global steps of the schedule.</source>
      <translation>Pasos globales de la programación.</translation>
    </message>
    <message>
      <source>Go to the newest line and keep it in sight  (End)</source>
      <translation>Ir a la línea más nueva y mantenerla a la vista  (Fin)</translation>
    </message>
    <message>
      <source>Have XLA compile the steps.</source>
      <translation>Que XLA compile los pasos.</translation>
    </message>
    <message>
      <source>Have the driver updated, or install a TensorFlow for that CUDA.</source>
      <translation>Haga actualizar el controlador o instale un TensorFlow para esa CUDA.</translation>
    </message>
    <message>
      <source>Have the node restarted.</source>
      <translation>Haga reiniciar el nodo.</translation>
    </message>
    <message>
      <source>Heard</source>
      <translation>Noticias</translation>
    </message>
    <message>
      <source>Hello</source>
      <translation>Hello</translation>
    </message>
    <message>
      <source>Help</source>
      <translation>Ayuda</translation>
    </message>
    <message>
      <source>Host</source>
      <translation>Host</translation>
    </message>
    <message>
      <source>Host to go through, like ana@gate:22</source>
      <translation>Host por el que pasar, como ana@gate:22</translation>
    </message>
    <message>
      <source>Hosts of the SSH configuration</source>
      <translation>Hosts de la configuración SSH</translation>
    </message>
    <message>
      <source>Hosts of your SSH configuration</source>
      <translation>Hosts de su configuración SSH</translation>
    </message>
    <message>
      <source>How many checkpoints are kept, the newest.</source>
      <translation>Cuántos puntos de control se guardan, los más nuevos.</translation>
    </message>
    <message>
      <source>How many of the workers a sync step does not wait for; late ones are dropped.</source>
      <translation>A cuántos workers no espera un paso síncrono; los que llegan tarde se descartan.</translation>
    </message>
    <message>
      <source>How many parameter servers hold the variables; a command may do without.</source>
      <translation>Cuántos servidores de parámetros guardan las variables; una orden puede prescindir de ellos.</translation>
    </message>
    <message>
      <source>How many steps an async worker has under way. 2: variables travel for one while the other computes. Faster where steps are short, but gradients are computed from older variables, which may need a lower learning rate or momentum.</source>
      <translation>Cuántos pasos tiene en marcha un worker asíncrono. 2: las variables viajan para uno mientras el otro calcula. Más rápido con pasos cortos, pero los gradientes se calculan con variables más viejas, lo que puede exigir una tasa de aprendizaje o un momento menores.</translation>
    </message>
    <message>
      <source>How many the job gets</source>
      <translation>Cuántos recibe el trabajo</translation>
    </message>
    <message>
      <source>How many workers; empty: as many as fit.</source>
      <translation>Cuántos workers; vacío: tantos como quepan.</translation>
    </message>
    <message>
      <source>How much of the run the charts show while following</source>
      <translation>Cuánto de la ejecución muestran los gráficos al seguirla</translation>
    </message>
    <message>
      <source>How nodes reach each other: put behind their names, like -ib0, or {host}-ib0</source>
      <translation>Cómo se alcanzan los nodos: se añade a sus nombres, como -ib0 o {host}-ib0</translation>
    </message>
    <message>
      <source>How often a task is started again before the run fails.</source>
      <translation>Cuántas veces se vuelve a arrancar una tarea antes de que falle la ejecución.</translation>
    </message>
    <message>
      <source>How the step size changes. step: times decay_rate every decay_steps; exponential: the same, smoothly; cosine: down to final_fraction of it within decay_steps.</source>
      <translation>Cómo cambia el tamaño del paso. step: por decay_rate cada decay_steps; exponential: lo mismo, de forma continua; cosine: hasta su final_fraction en decay_steps.</translation>
    </message>
    <message>
      <source>How variables and gradients travel; bfloat16 halves the traffic and rounds to 8 bits of precision. The ps always hold float32.</source>
      <translation>Cómo viajan las variables y los gradientes; bfloat16 reduce el tráfico a la mitad y redondea a 8 bits de precisión. Los ps guardan siempre float32.</translation>
    </message>
    <message>
      <source>Icon in the &amp;tray</source>
      <translation>Icono en la ban&amp;deja</translation>
    </message>
    <message>
      <source>Image files that cannot be used and are skipped before the run ends.</source>
      <translation>Archivos de imagen inservibles que se saltan antes de que la ejecución termine.</translation>
    </message>
    <message>
      <source>Image size</source>
      <translation>Tamaño de imagen</translation>
    </message>
    <message>
      <source>Import from SSH config…</source>
      <translation>Importar de la configuración SSH…</translation>
    </message>
    <message>
      <source>Import from the SSH configuration</source>
      <translation>Importar de la configuración SSH</translation>
    </message>
    <message>
      <source>Import run</source>
      <translation>Importar ejecución</translation>
    </message>
    <message>
      <source>Imported</source>
      <translation>Importada</translation>
    </message>
    <message>
      <source>Importing {name} …</source>
      <translation>Importando {name} …</translation>
    </message>
    <message>
      <source>Import…</source>
      <translation>Importar…</translation>
    </message>
    <message>
      <source>Initial weights and shuffling follow from it.</source>
      <translation>De ella salen los pesos iniciales y el orden aleatorio.</translation>
    </message>
    <message>
      <source>Install one version on all nodes, or set environment.python to a common one.</source>
      <translation>Instale una misma versión en todos los nodos o fije environment.python en uno común.</translation>
    </message>
    <message>
      <source>Install tensorflow[and-cuda], or load a module with the newer cuDNN in environment.setup.</source>
      <translation>Instale tensorflow[and-cuda] o cargue un módulo con la cuDNN más nueva en environment.setup.</translation>
    </message>
    <message>
      <source>Install versions that belong together, for example numpy&lt;2 with older packages.</source>
      <translation>Instale versiones que encajen, por ejemplo numpy&lt;2 con paquetes más viejos.</translation>
    </message>
    <message>
      <source>Is this really {host}?</source>
      <translation>¿Es este de verdad {host}?</translation>
    </message>
    <message>
      <source>It can be used here, and not saved.{left_out}</source>
      <translation>Aquí se puede usar, y no guardar.{left_out}</translation>
    </message>
    <message>
      <source>It has no nodes now. Its place in the queue is lost.</source>
      <translation>Ahora no tiene nodos. Se pierde su lugar en la cola.</translation>
    </message>
    <message>
      <source>It is being stopped. Stop run {run_id} deeper?</source>
      <translation>Ya se está deteniendo. ¿Detener más a fondo la ejecución {run_id}?</translation>
    </message>
    <message>
      <source>It is controlled from {holder}; here it is only watched.</source>
      <translation>Se controla desde {holder}; aquí solo se observa.</translation>
    </message>
    <message>
      <source>It will not start by itself.</source>
      <translation>No empezará por sí solo.</translation>
    </message>
    <message>
      <source>It would end with the practice nodes.</source>
      <translation>Terminaría con los nodos de práctica.</translation>
    </message>
    <message>
      <source>It {waits}.</source>
      <translation>Esta ejecución {waits}.</translation>
    </message>
    <message>
      <source>Its key is not known yet. {compare}</source>
      <translation>Su clave aún no se conoce. {compare}</translation>
    </message>
    <message>
      <source>Its last lines on {few} may not be here yet.</source>
      <translation>Puede que sus últimas líneas en {few} aún no estén aquí.</translation>
    </message>
    <message>
      <source>Jit compile</source>
      <translation>Compilación JIT</translation>
    </message>
    <message>
      <source>Job {job}</source>
      <translation>Trabajo {job}</translation>
    </message>
    <message>
      <source>Job {job} has {left} left; it is stopped after a checkpoint in time.</source>
      <translation>Al trabajo {job} le quedan {left}; se detiene a tiempo tras un punto de control.</translation>
    </message>
    <message>
      <source>Job {job}{where} {state}</source>
      <translation>Trabajo {job}{where} {state}</translation>
    </message>
    <message>
      <source>Jump host</source>
      <translation>Host de salto</translation>
    </message>
    <message>
      <source>Keep it in this computer's keyring</source>
      <translation>Guardarla en el llavero de este ordenador</translation>
    </message>
    <message>
      <source>Keep the newest values in sight (F). Zooming turns it off.</source>
      <translation>Mantiene a la vista los valores más nuevos (F). Ampliar lo desactiva.</translation>
    </message>
    <message>
      <source>Keep waiting</source>
      <translation>Seguir esperando</translation>
    </message>
    <message>
      <source>Key file</source>
      <translation>Archivo de clave</translation>
    </message>
    <message>
      <source>Key type</source>
      <translation>Tipo de clave</translation>
    </message>
    <message>
      <source>Keyboard</source>
      <translation>Teclado</translation>
    </message>
    <message>
      <source>Kill at once</source>
      <translation>Matar al instante</translation>
    </message>
    <message>
      <source>Kind</source>
      <translation>Tipo</translation>
    </message>
    <message>
      <source>Lan&amp;guage</source>
      <translation>&amp;Idioma</translation>
    </message>
    <message>
      <source>Language</source>
      <translation>Idioma</translation>
    </message>
    <message>
      <source>Language of the system</source>
      <translation>Idioma del sistema</translation>
    </message>
    <message>
      <source>Largest value of a gradient, by magnitude.</source>
      <translation>Mayor valor de un gradiente, en magnitud.</translation>
    </message>
    <message>
      <source>Last 10 minutes</source>
      <translation>Últimos 10 minutos</translation>
    </message>
    <message>
      <source>Last day</source>
      <translation>Último día</translation>
    </message>
    <message>
      <source>Last hour</source>
      <translation>Última hora</translation>
    </message>
    <message>
      <source>Last minute</source>
      <translation>Último minuto</translation>
    </message>
    <message>
      <source>Last month</source>
      <translation>Último mes</translation>
    </message>
    <message>
      <source>Last week</source>
      <translation>Última semana</translation>
    </message>
    <message>
      <source>Last year</source>
      <translation>Último año</translation>
    </message>
    <message>
      <source>Launch</source>
      <translation>Lanzar</translation>
    </message>
    <message>
      <source>Launch a run, or open one from the Runs page.</source>
      <translation>Lance una ejecución o abra una desde la página Ejecuciones.</translation>
    </message>
    <message>
      <source>Launch one to see its loss and throughput here.</source>
      <translation>Lance una para ver aquí su pérdida y su rendimiento.</translation>
    </message>
    <message>
      <source>Learning rate</source>
      <translation>Tasa de aprendizaje</translation>
    </message>
    <message>
      <source>Leave it running</source>
      <translation>Dejarla en marcha</translation>
    </message>
    <message>
      <source>Leave the cell as it was</source>
      <translation>Dejar la celda como estaba</translation>
    </message>
    <message>
      <source>Leave the comparison</source>
      <translation>Salir de la comparación</translation>
    </message>
    <message>
      <source>Leave this GPU out (gpus: of the node), and tell who looks after the node.</source>
      <translation>Deje fuera esta GPU (gpus: del nodo) y avise a quien cuida del nodo.</translation>
    </message>
    <message>
      <source>Left running, its nodes look after it; follow it again from the Runs page.</source>
      <translation>Si se deja en marcha, sus nodos cuidan de ella; sígala de nuevo desde la página Ejecuciones.</translation>
    </message>
    <message>
      <source>Leftovers on the &amp;nodes…</source>
      <translation>Restos en los &amp;nodos…</translation>
    </message>
    <message>
      <source>Leftovers on the nodes</source>
      <translation>Restos en los nodos</translation>
    </message>
    <message>
      <source>Length</source>
      <translation>Duración</translation>
    </message>
    <message>
      <source>Length of training in</source>
      <translation>Duración del entrenamiento en</translation>
    </message>
    <message>
      <source>Let Clew place all tasks</source>
      <translation>Deja que Clew coloque todas las tareas</translation>
    </message>
    <message>
      <source>Let go of the nodes; runs go on</source>
      <translation>Suelta los nodos; las ejecuciones siguen</translation>
    </message>
    <message>
      <source>Level</source>
      <translation>Nivel</translation>
    </message>
    <message>
      <source>Light colours</source>
      <translation>Colores claros</translation>
    </message>
    <message>
      <source>Like a100; needs GPUs per node</source>
      <translation>Como a100; necesita GPU por nodo</translation>
    </message>
    <message>
      <source>Live</source>
      <translation>En vivo</translation>
    </message>
    <message>
      <source>Load a newer compiler's module (gcc), or use an older version of the package.</source>
      <translation>Cargue el módulo de un compilador más nuevo (gcc) o use una versión más vieja del paquete.</translation>
    </message>
    <message>
      <source>Load its module in environment.setup, or extend LD_LIBRARY_PATH there.</source>
      <translation>Cargue su módulo en environment.setup o amplíe allí LD_LIBRARY_PATH.</translation>
    </message>
    <message>
      <source>Load less data at a time, use a smaller batch, or a node with more memory.</source>
      <translation>Cargue menos datos a la vez, use un lote más pequeño o un nodo con más memoria.</translation>
    </message>
    <message>
      <source>Loading the SSH client …</source>
      <translation>Cargando el cliente SSH …</translation>
    </message>
    <message>
      <source>Log</source>
      <translation>Registro</translation>
    </message>
    <message>
      <source>Log in</source>
      <translation>Entrar</translation>
    </message>
    <message>
      <source>Log in to one machine, and Slurm gives the nodes</source>
      <translation>Entrar en una máquina, y Slurm da los nodos</translation>
    </message>
    <message>
      <source>Log in to {node}</source>
      <translation>Entrar en {node}</translation>
    </message>
    <message>
      <source>Log loss</source>
      <translation>Pérdida log.</translation>
    </message>
    <message>
      <source>Log of {task}</source>
      <translation>Registro de {task}</translation>
    </message>
    <message>
      <source>Logarithmic axis for the loss (L)</source>
      <translation>Eje logarítmico para la pérdida (L)</translation>
    </message>
    <message>
      <source>Logarithmic loss</source>
      <translation>Pérdida logarítmica</translation>
    </message>
    <message>
      <source>Login node</source>
      <translation>Nodo de acceso</translation>
    </message>
    <message>
      <source>Logs</source>
      <translation>Registros</translation>
    </message>
    <message>
      <source>Logs of the tasks</source>
      <translation>Registros de las tareas</translation>
    </message>
    <message>
      <source>Longest gradient: the norm over all variables of the model.</source>
      <translation>Gradiente más largo: la norma sobre todas las variables del modelo.</translation>
    </message>
    <message>
      <source>Longest job</source>
      <translation>Trabajo más largo</translation>
    </message>
    <message>
      <source>Look at its log, and at what else uses its node.</source>
      <translation>Mire su registro y qué más usa su nodo.</translation>
    </message>
    <message>
      <source>Look at that line; if it is right, set environment.python to a newer Python.</source>
      <translation>Mire esa línea; si está bien, fije environment.python en un Python más nuevo.</translation>
    </message>
    <message>
      <source>Look at that mount on the node.</source>
      <translation>Mire ese montaje en el nodo.</translation>
    </message>
    <message>
      <source>Look at that task's end and log.</source>
      <translation>Mire el final y el registro de esa tarea.</translation>
    </message>
    <message>
      <source>Look at the lines above it; see what else uses this GPU, and which cuDNN is found.</source>
      <translation>Mire las líneas anteriores; vea qué más usa esta GPU y qué cuDNN se encuentra.</translation>
    </message>
    <message>
      <source>Look at the new plan.</source>
      <translation>Mire el nuevo plan.</translation>
    </message>
    <message>
      <source>Look closely at all nodes and the ways between them</source>
      <translation>Examina a fondo todos los nodos y los caminos entre ellos</translation>
    </message>
    <message>
      <source>Looking at the nodes …</source>
      <translation>Mirando los nodos …</translation>
    </message>
    <message>
      <source>Looking which runs are missing …</source>
      <translation>Mirando qué ejecuciones faltan …</translation>
    </message>
    <message>
      <source>Loss</source>
      <translation>Pérdida</translation>
    </message>
    <message>
      <source>Lower batch_size, or see in the Cluster page what else uses this GPU.</source>
      <translation>Baje batch_size o vea en la página Clúster qué más usa esta GPU.</translation>
    </message>
    <message>
      <source>Lower the learning rate, add warm-up or clipping, and look for NaN in the data.</source>
      <translation>Baje la tasa de aprendizaje, añada calentamiento o recorte y busque NaN en los datos.</translation>
    </message>
    <message>
      <source>M, Enter</source>
      <translation>M, Intro</translation>
    </message>
    <message>
      <source>MNIST quickstart</source>
      <translation>MNIST para empezar</translation>
    </message>
    <message>
      <source>Make it with `clew provision`, and check again.</source>
      <translation>Créelo con `clew provision` y compruebe de nuevo.</translation>
    </message>
    <message>
      <source>Make room in /dev/shm and on the disk of the data.</source>
      <translation>Haga sitio en /dev/shm y en el disco de los datos.</translation>
    </message>
    <message>
      <source>Make room there, or set storage.root to a disk that has some.</source>
      <translation>Haga sitio allí o fije storage.root en un disco que lo tenga.</translation>
    </message>
    <message>
      <source>Make the change again</source>
      <translation>Hace el cambio otra vez</translation>
    </message>
    <message>
      <source>Max bad files</source>
      <translation>Archivos malos como máximo</translation>
    </message>
    <message>
      <source>Max hours</source>
      <translation>Horas como máximo</translation>
    </message>
    <message>
      <source>Memory</source>
      <translation>Memoria</translation>
    </message>
    <message>
      <source>Memory per node</source>
      <translation>Memoria por nodo</translation>
    </message>
    <message>
      <source>Metric of the devices</source>
      <translation>Métrica de los dispositivos</translation>
    </message>
    <message>
      <source>Minutes, HH:MM:SS or D-HH:MM:SS; then Slurm ends the job</source>
      <translation>Minutos, HH:MM:SS o D-HH:MM:SS; después Slurm termina el trabajo</translation>
    </message>
    <message>
      <source>Mixed precision</source>
      <translation>Precisión mixta</translation>
    </message>
    <message>
      <source>Model</source>
      <translation>Modelo</translation>
    </message>
    <message>
      <source>Model and data</source>
      <translation>Modelo y datos</translation>
    </message>
    <message>
      <source>Momentum</source>
      <translation>Momento</translation>
    </message>
    <message>
      <source>More</source>
      <translation>Más</translation>
    </message>
    <message>
      <source>More options</source>
      <translation>Más opciones</translation>
    </message>
    <message>
      <source>Move it away.</source>
      <translation>Muévalo de ahí.</translation>
    </message>
    <message>
      <source>Move it away; Clew makes a new one.</source>
      <translation>Muévalo de ahí; Clew crea uno nuevo.</translation>
    </message>
    <message>
      <source>Move {task}</source>
      <translation>Mover {task}</translation>
    </message>
    <message>
      <source>Multiply the step size by the number of workers, by its square root, or not. The run says the number that comes out.</source>
      <translation>Multiplicar el tamaño del paso por el número de workers, por su raíz cuadrada, o no. La ejecución dice el número que resulta.</translation>
    </message>
    <message>
      <source>Name</source>
      <translation>Nombre</translation>
    </message>
    <message>
      <source>Name of the preset:</source>
      <translation>Nombre del preajuste:</translation>
    </message>
    <message>
      <source>Name the version that it needs in environment.packages, or change the code.</source>
      <translation>Indique en environment.packages la versión que necesita o cambie el código.</translation>
    </message>
    <message>
      <source>Name to log in with</source>
      <translation>Nombre con el que entrar</translation>
    </message>
    <message>
      <source>Needs the data on the nodes: give its folder. Mixed precision, 90 epochs</source>
      <translation>Necesita los datos en los nodos: indique su carpeta. Precisión mixta, 90 épocas</translation>
    </message>
    <message>
      <source>Needs: pip install {names}</source>
      <translation>Necesita: pip install {names}</translation>
    </message>
    <message>
      <source>New profile</source>
      <translation>Nuevo perfil</translation>
    </message>
    <message>
      <source>New study</source>
      <translation>Nuevo estudio</translation>
    </message>
    <message>
      <source>No debug lines</source>
      <translation>Sin líneas de depuración</translation>
    </message>
    <message>
      <source>No host matches the filter</source>
      <translation>Ningún host coincide con el filtro</translation>
    </message>
    <message>
      <source>No node is connected.</source>
      <translation>No hay ningún nodo conectado.</translation>
    </message>
    <message>
      <source>No nodes are connected.</source>
      <translation>No hay nodos conectados.</translation>
    </message>
    <message>
      <source>No nodes yet. Add the first one: a host name or an alias of ~/.ssh/config, or import several from there.</source>
      <translation>Aún no hay nodos. Añada el primero: un nombre de host o un alias de ~/.ssh/config, o importe varios de allí.</translation>
    </message>
    <message>
      <source>No place yet</source>
      <translation>Aún sin sitio</translation>
    </message>
    <message>
      <source>No recent profiles</source>
      <translation>No hay perfiles recientes</translation>
    </message>
    <message>
      <source>No run can be stopped like this now.</source>
      <translation>Ahora no se puede detener así ninguna ejecución.</translation>
    </message>
    <message>
      <source>No run is going on.</source>
      <translation>No hay ninguna ejecución en curso.</translation>
    </message>
    <message>
      <source>No run is like this. Clear the filter to see all of them.</source>
      <translation>Ninguna ejecución es así. Limpie el filtro para verlas todas.</translation>
    </message>
    <message>
      <source>No run yet</source>
      <translation>Aún no hay ejecución</translation>
    </message>
    <message>
      <source>No runs yet. Launch one, try the practice cluster, or import a run bundle.</source>
      <translation>Aún no hay ejecuciones. Lance una, pruebe el clúster de práctica o importe un paquete de ejecución.</translation>
    </message>
    <message>
      <source>No task of this run uses this way.</source>
      <translation>Ninguna tarea de esta ejecución usa este camino.</translation>
    </message>
    <message>
      <source>Node</source>
      <translation>Nodo</translation>
    </message>
    <message>
      <source>Nodes</source>
      <translation>Nodos</translation>
    </message>
    <message>
      <source>Nodes free</source>
      <translation>Nodos libres</translation>
    </message>
    <message>
      <source>Nodes set aside, like for a course</source>
      <translation>Nodos reservados, como para un curso</translation>
    </message>
    <message>
      <source>Not checked yet. A check looks at the login, Python, GPUs, disks, clock, limits and proxies of every node, and tries every way between the nodes that the run will use.</source>
      <translation>Aún sin comprobar. Una comprobación mira el acceso, Python, las GPU, los discos, el reloj, los límites y los proxies de cada nodo, y prueba cada camino entre los nodos que usará la ejecución.</translation>
    </message>
    <message>
      <source>Not connected.</source>
      <translation>No conectado.</translation>
    </message>
    <message>
      <source>Not installed: run from its sources</source>
      <translation>No instalado: se ejecuta desde sus fuentes</translation>
    </message>
    <message>
      <source>Not now: {why}</source>
      <translation>Ahora no: {why}</translation>
    </message>
    <message>
      <source>Note</source>
      <translation>Nota</translation>
    </message>
    <message>
      <source>Nothing has changed.</source>
      <translation>No ha cambiado nada.</translation>
    </message>
    <message>
      <source>Nothing is called like this.</source>
      <translation>Nada se llama así.</translation>
    </message>
    <message>
      <source>Nothing is in the way.</source>
      <translation>No hay nada que lo impida.</translation>
    </message>
    <message>
      <source>Nothing is left on the nodes.</source>
      <translation>No queda nada en los nodos.</translation>
    </message>
    <message>
      <source>Nothing of this run waits for a node that is away.</source>
      <translation>Nada de esta ejecución espera a un nodo ausente.</translation>
    </message>
    <message>
      <source>Nothing was changed.</source>
      <translation>No se cambió nada.</translation>
    </message>
    <message>
      <source>Nothing was taken back.</source>
      <translation>No se deshizo nada.</translation>
    </message>
    <message>
      <source>Nothing yet.</source>
      <translation>Aún nada.</translation>
    </message>
    <message>
      <source>Nothing yet. Logs appear here when a run is launched or opened.</source>
      <translation>Aún nada. Los registros aparecen aquí cuando se lanza o se abre una ejecución.</translation>
    </message>
    <message>
      <source>Now</source>
      <translation>Ahora</translation>
    </message>
    <message>
      <source>Numbers</source>
      <translation>Números</translation>
    </message>
    <message>
      <source>Numbers of ps</source>
      <translation>Números de ps</translation>
    </message>
    <message>
      <source>Numbers of the run</source>
      <translation>Números de la ejecución</translation>
    </message>
    <message>
      <source>Numbers of workers</source>
      <translation>Números de workers</translation>
    </message>
    <message>
      <source>Of sbatch, as on its command line: --exclusive --mail-type=END</source>
      <translation>De sbatch, como en su línea de órdenes: --exclusive --mail-type=END</translation>
    </message>
    <message>
      <source>Of the SSH server there</source>
      <translation>Del servidor SSH de allí</translation>
    </message>
    <message>
      <source>On nan</source>
      <translation>Si hay NaN</translation>
    </message>
    <message>
      <source>On record</source>
      <translation>Registrada</translation>
    </message>
    <message>
      <source>Open</source>
      <translation>Abrir</translation>
    </message>
    <message>
      <source>Open	Enter</source>
      <translation>Abrir	Enter</translation>
    </message>
    <message>
      <source>Open TCP port {port} between the nodes in the firewall, or {remedy}.</source>
      <translation>Abra el puerto TCP {port} entre los nodos en el cortafuegos, o: {remedy}.</translation>
    </message>
    <message>
      <source>Open a profile first.</source>
      <translation>Abra primero un perfil.</translation>
    </message>
    <message>
      <source>Open a profile or a run bundle</source>
      <translation>Abre un perfil o un paquete de ejecución</translation>
    </message>
    <message>
      <source>Open a profile to see where each task would run.</source>
      <translation>Abra un perfil para ver dónde se ejecutaría cada tarea.</translation>
    </message>
    <message>
      <source>Open a profile, make one of your SSH hosts, or try the practice cluster.</source>
      <translation>Abra un perfil, haga uno con sus hosts SSH o pruebe el clúster de práctica.</translation>
    </message>
    <message>
      <source>Open one.</source>
      <translation>Abra uno.</translation>
    </message>
    <message>
      <source>Open profile…</source>
      <translation>Abrir perfil…</translation>
    </message>
    <message>
      <source>Open the profile that it was started with and connect.</source>
      <translation>Abra el perfil con el que se inició y conecte.</translation>
    </message>
    <message>
      <source>Open the run</source>
      <translation>Abrir la ejecución</translation>
    </message>
    <message>
      <source>Open the run's profile, connect to its nodes and watch it</source>
      <translation>Abre el perfil de la ejecución, conecta con sus nodos y la observa</translation>
    </message>
    <message>
      <source>Opening run</source>
      <translation>Abriendo ejecución</translation>
    </message>
    <message>
      <source>Opening run {run_id} …</source>
      <translation>Abriendo la ejecución {run_id} …</translation>
    </message>
    <message>
      <source>Opening …</source>
      <translation>Abriendo …</translation>
    </message>
    <message>
      <source>Optimizer</source>
      <translation>Optimizador</translation>
    </message>
    <message>
      <source>Overview</source>
      <translation>Resumen</translation>
    </message>
    <message>
      <source>Page</source>
      <translation>Página</translation>
    </message>
    <message>
      <source>Parameter servers</source>
      <translation>Servidores de parámetros</translation>
    </message>
    <message>
      <source>Part of every variable taken off in a step, times the step size; adam with it is adamw, which takes 0.004 where nothing is said.</source>
      <translation>Parte de cada variable que se quita en un paso, por el tamaño del paso; adam con ella es adamw, que toma 0.004 si no se dice nada.</translation>
    </message>
    <message>
      <source>Partition</source>
      <translation>Partición</translation>
    </message>
    <message>
      <source>Partitions</source>
      <translation>Particiones</translation>
    </message>
    <message>
      <source>Past runs can be opened when it has ended.</source>
      <translation>Las ejecuciones pasadas se pueden abrir cuando haya terminado.</translation>
    </message>
    <message>
      <source>Patience</source>
      <translation>Paciencia</translation>
    </message>
    <message>
      <source>Pause before the first restart; it doubles with each that fails.</source>
      <translation>Pausa antes del primer rearranque; se dobla con cada uno que falla.</translation>
    </message>
    <message>
      <source>Pick a task up; again: drop it; Esc: leave it</source>
      <translation>Coger una tarea; otra vez: soltarla; Esc: dejarla</translation>
    </message>
    <message>
      <source>Pictures (*.png)</source>
      <translation>Imágenes (*.png)</translation>
    </message>
    <message>
      <source>Place all</source>
      <translation>Colocar todas</translation>
    </message>
    <message>
      <source>Place all automatically</source>
      <translation>Colocar todas automáticamente</translation>
    </message>
    <message>
      <source>Placement board</source>
      <translation>Tablero de colocación</translation>
    </message>
    <message>
      <source>Plan</source>
      <translation>Plan</translation>
    </message>
    <message>
      <source>Port</source>
      <translation>Puerto</translation>
    </message>
    <message>
      <source>Power</source>
      <translation>Potencia</translation>
    </message>
    <message>
      <source>Practice on this computer</source>
      <translation>Practicar en este ordenador</translation>
    </message>
    <message>
      <source>Presets</source>
      <translation>Preajustes</translation>
    </message>
    <message>
      <source>Press the button that has the keyboard</source>
      <translation>Pulsar el botón que tiene el teclado</translation>
    </message>
    <message>
      <source>Private key on this computer</source>
      <translation>Clave privada en este ordenador</translation>
    </message>
    <message>
      <source>Processors that each node's tasks share</source>
      <translation>Procesadores que comparten las tareas de cada nodo</translation>
    </message>
    <message>
      <source>Profile</source>
      <translation>Perfil</translation>
    </message>
    <message>
      <source>Profiles (*.yaml *.yml);;All files (*)</source>
      <translation>Perfiles (*.yaml *.yml);;Todos los archivos (*)</translation>
    </message>
    <message>
      <source>Profiles and run bundles (*.yaml *.yml *.clewrun);;Profiles (*.yaml *.yml);;Run bundles (*.clewrun);;All files (*)</source>
      <translation>Perfiles y paquetes de ejecución (*.yaml *.yml *.clewrun);;Perfiles (*.yaml *.yml);;Paquetes de ejecución (*.clewrun);;Todos los archivos (*)</translation>
    </message>
    <message>
      <source>Progress</source>
      <translation>Progreso</translation>
    </message>
    <message>
      <source>Progress of the check</source>
      <translation>Progreso de la comprobación</translation>
    </message>
    <message>
      <source>Progress on this node</source>
      <translation>Progreso en este nodo</translation>
    </message>
    <message>
      <source>Ps placement</source>
      <translation>Colocación de los ps</translation>
    </message>
    <message>
      <source>Push and pull take {n}% of the time: the ps or the network limit the run.</source>
      <translation>El envío y la recepción ocupan el {n} % del tiempo: los ps o la red limitan la ejecución.</translation>
    </message>
    <message>
      <source>Python</source>
      <translation>Python</translation>
    </message>
    <message>
      <source>Python {version} at {path} has TensorFlow {tensorflow}</source>
      <translation>Python {version} en {path} tiene TensorFlow {tensorflow}</translation>
    </message>
    <message>
      <source>Python, user, key file and jump host of all nodes</source>
      <translation>Python, usuario, archivo de clave y host de salto de todos los nodos</translation>
    </message>
    <message>
      <source>QOS</source>
      <translation>QOS</translation>
    </message>
    <message>
      <source>Quality of service, where the site has several</source>
      <translation>Calidad de servicio, donde el centro tiene varias</translation>
    </message>
    <message>
      <source>Queue and site</source>
      <translation>Cola y centro</translation>
    </message>
    <message>
      <source>Re&amp;connect</source>
      <translation>Re&amp;conectar</translation>
    </message>
    <message>
      <source>Reading the runs …</source>
      <translation>Leyendo las ejecuciones …</translation>
    </message>
    <message>
      <source>Reading…</source>
      <translation>Leyendo…</translation>
    </message>
    <message>
      <source>Ready to connect to the nodes.</source>
      <translation>Todo listo para conectar con los nodos.</translation>
    </message>
    <message>
      <source>Recent</source>
      <translation>Recientes</translation>
    </message>
    <message>
      <source>Recent profiles</source>
      <translation>Perfiles recientes</translation>
    </message>
    <message>
      <source>Refresh</source>
      <translation>Actualizar</translation>
    </message>
    <message>
      <source>Reject</source>
      <translation>Rechazar</translation>
    </message>
    <message>
      <source>Reject all</source>
      <translation>Rechazar todas</translation>
    </message>
    <message>
      <source>Remaining</source>
      <translation>Restante</translation>
    </message>
    <message>
      <source>Remove</source>
      <translation>Quitar</translation>
    </message>
    <message>
      <source>Remove the task</source>
      <translation>Quitar la tarea</translation>
    </message>
    <message>
      <source>Remove {task}</source>
      <translation>Quitar {task}</translation>
    </message>
    <message>
      <source>Removed {gone} of {count} ({size}).</source>
      <translation>Eliminados {gone} de {count} ({size}).</translation>
    </message>
    <message>
      <source>Removed {words}.</source>
      <translation>Quitado: {words}.</translation>
    </message>
    <message>
      <source>Remove{amount}</source>
      <translation>Eliminar{amount}</translation>
    </message>
    <message>
      <source>Removing {count} …</source>
      <translation>Eliminando {count} …</translation>
    </message>
    <message>
      <source>Replace {name}?</source>
      <translation>¿Reemplazar {name}?</translation>
    </message>
    <message>
      <source>Replication</source>
      <translation>Replicación</translation>
    </message>
    <message>
      <source>Report…</source>
      <translation>Informe…</translation>
    </message>
    <message>
      <source>ResNet-50 on ImageNet</source>
      <translation>ResNet-50 con ImageNet</translation>
    </message>
    <message>
      <source>Reservation</source>
      <translation>Reserva</translation>
    </message>
    <message>
      <source>Reset after</source>
      <translation>Restablecer tras</translation>
    </message>
    <message>
      <source>Reset zoom</source>
      <translation>Restablecer zoom</translation>
    </message>
    <message>
      <source>Restart policy</source>
      <translation>Política de rearranque</translation>
    </message>
    <message>
      <source>Restarts and time limit</source>
      <translation>Rearranques y límite de tiempo</translation>
    </message>
    <message>
      <source>Restarts at most</source>
      <translation>Rearranques como máximo</translation>
    </message>
    <message>
      <source>Restore</source>
      <translation>Restaurar</translation>
    </message>
    <message>
      <source>Result</source>
      <translation>Resultado</translation>
    </message>
    <message>
      <source>Results</source>
      <translation>Resultados</translation>
    </message>
    <message>
      <source>Resume from</source>
      <translation>Continuar desde</translation>
    </message>
    <message>
      <source>Resume goes on with what is left.</source>
      <translation>Reanudar continúa con lo que queda.</translation>
    </message>
    <message>
      <source>Revert</source>
      <translation>Revertir</translation>
    </message>
    <message>
      <source>Revert all</source>
      <translation>Revertir todo</translation>
    </message>
    <message>
      <source>Rows dial columns: round trip and throughput. A dash is a way that the run does not use.</source>
      <translation>Las filas llaman a las columnas: ida y vuelta y caudal. Una raya es un camino que la ejecución no usa.</translation>
    </message>
    <message>
      <source>Run</source>
      <translation>Ejecución</translation>
    </message>
    <message>
      <source>Run </source>
      <translation>Ejecución </translation>
    </message>
    <message>
      <source>Run bundles (*.clewrun)</source>
      <translation>Paquetes de ejecución (*.clewrun)</translation>
    </message>
    <message>
      <source>Run bundles (*.clewrun);;All files (*)</source>
      <translation>Paquetes de ejecución (*.clewrun);;Todos los archivos (*)</translation>
    </message>
    <message>
      <source>Run bundle…</source>
      <translation>Paquete de ejecución…</translation>
    </message>
    <message>
      <source>Run it in several sizes</source>
      <translation>La ejecuta en varios tamaños</translation>
    </message>
    <message>
      <source>Run nvidia-smi on the node; check CUDA_VISIBLE_DEVICES.</source>
      <translation>Ejecute nvidia-smi en el nodo; compruebe CUDA_VISIBLE_DEVICES.</translation>
    </message>
    <message>
      <source>Run the commands in your SSH configuration?</source>
      <translation>¿Ejecutar las órdenes de su configuración SSH?</translation>
    </message>
    <message>
      <source>Run them</source>
      <translation>Ejecutarlas</translation>
    </message>
    <message>
      <source>Run {number} of {total}: {point}, #{repeat}</source>
      <translation>Ejecución {number} de {total}: {point}, n.º {repeat}</translation>
    </message>
    <message>
      <source>Run {run_id} ({name}) was left going on.</source>
      <translation>La ejecución {run_id} ({name}) se dejó en marcha.</translation>
    </message>
    <message>
      <source>Run {run_id} goes on on these nodes.</source>
      <translation>La ejecución {run_id} sigue en estos nodos.</translation>
    </message>
    <message>
      <source>Run {run_id} is being stopped.</source>
      <translation>La ejecución {run_id} se está deteniendo.</translation>
    </message>
    <message>
      <source>Run {run_id} is going on: stop it first.</source>
      <translation>La ejecución {run_id} está en curso: deténgala primero.</translation>
    </message>
    <message>
      <source>Run {run_id} is not followed: its nodes have not answered.</source>
      <translation>No se sigue la ejecución {run_id}: sus nodos no han respondido.</translation>
    </message>
    <message>
      <source>Run {run_id} is not in the history.</source>
      <translation>La ejecución {run_id} no está en el historial.</translation>
    </message>
    <message>
      <source>Run {run_id} is still going on.</source>
      <translation>La ejecución {run_id} sigue en curso.</translation>
    </message>
    <message>
      <source>Run {run_id} was written to {written}</source>
      <translation>La ejecución {run_id} se escribió en {written}</translation>
    </message>
    <message>
      <source>Run {run_id}: nothing waits for {few} any more.</source>
      <translation>Ejecución {run_id}: ya nada espera a {few}.</translation>
    </message>
    <message>
      <source>Run {run_id}: {state}, {time} so far.{rest}</source>
      <translation>Ejecución {run_id}: {state}, {time} hasta ahora.{rest}</translation>
    </message>
    <message>
      <source>Run {run_id}{name} is in the history now.</source>
      <translation>La ejecución {run_id}{name} está ahora en el historial.</translation>
    </message>
    <message>
      <source>Run {run_id}{name} was in the history already.</source>
      <translation>La ejecución {run_id}{name} ya estaba en el historial.</translation>
    </message>
    <message>
      <source>Runs</source>
      <translation>Ejecuciones</translation>
    </message>
    <message>
      <source>Runs made</source>
      <translation>Ejecuciones hechas</translation>
    </message>
    <message>
      <source>Runs of each size</source>
      <translation>Ejecuciones de cada tamaño</translation>
    </message>
    <message>
      <source>S&amp;top</source>
      <translation>De&amp;tener</translation>
    </message>
    <message>
      <source>S&amp;top…</source>
      <translation>De&amp;tener…</translation>
    </message>
    <message>
      <source>Save &amp;as…</source>
      <translation>Guardar &amp;como…</translation>
    </message>
    <message>
      <source>Save as PNG…</source>
      <translation>Guardar como PNG…</translation>
    </message>
    <message>
      <source>Save as SVG…</source>
      <translation>Guardar como SVG…</translation>
    </message>
    <message>
      <source>Save as preset</source>
      <translation>Guardar como preajuste</translation>
    </message>
    <message>
      <source>Save as preset…</source>
      <translation>Guardar como preajuste…</translation>
    </message>
    <message>
      <source>Save as…</source>
      <translation>Guardar como…</translation>
    </message>
    <message>
      <source>Save it to a file of its own.</source>
      <translation>Guárdelo en un archivo propio.</translation>
    </message>
    <message>
      <source>Save picture</source>
      <translation>Guardar imagen</translation>
    </message>
    <message>
      <source>Save profile</source>
      <translation>Guardar perfil</translation>
    </message>
    <message>
      <source>Save the changes of {title}?</source>
      <translation>¿Guardar los cambios de {title}?</translation>
    </message>
    <message>
      <source>Save the lines that are shown as a text file</source>
      <translation>Guarda las líneas que se muestran como archivo de texto</translation>
    </message>
    <message>
      <source>Save the log</source>
      <translation>Guardar el registro</translation>
    </message>
    <message>
      <source>Save the profile</source>
      <translation>Guarda el perfil</translation>
    </message>
    <message>
      <source>Save the profile under another name</source>
      <translation>Guarda el perfil con otro nombre</translation>
    </message>
    <message>
      <source>Saved</source>
      <translation>Guardado</translation>
    </message>
    <message>
      <source>Saved by you</source>
      <translation>Guardado por usted</translation>
    </message>
    <message>
      <source>Scale with workers</source>
      <translation>Escalar con los workers</translation>
    </message>
    <message>
      <source>Scaling st&amp;udy…</source>
      <translation>Est&amp;udio de escalado…</translation>
    </message>
    <message>
      <source>Scaling study</source>
      <translation>Estudio de escalado</translation>
    </message>
    <message>
      <source>Scaling study – Clew</source>
      <translation>Estudio de escalado – Clew</translation>
    </message>
    <message>
      <source>Schedule</source>
      <translation>Programación</translation>
    </message>
    <message>
      <source>Search</source>
      <translation>Buscar</translation>
    </message>
    <message>
      <source>Search  (Ctrl+F)</source>
      <translation>Buscar  (Ctrl+F)</translation>
    </message>
    <message>
      <source>Search the log</source>
      <translation>Buscar en el registro</translation>
    </message>
    <message>
      <source>See that address names the fast network; that link bounds every step.</source>
      <translation>Vea que address nombra la red rápida; ese enlace limita cada paso.</translation>
    </message>
    <message>
      <source>See what else runs on its node, or leave the slowest out with backup_workers.</source>
      <translation>Vea qué más se ejecuta en su nodo o deje fuera al más lento con backup_workers.</translation>
    </message>
    <message>
      <source>See what else runs on its node.</source>
      <translation>Vea qué más se ejecuta en su nodo.</translation>
    </message>
    <message>
      <source>Seed</source>
      <translation>Semilla</translation>
    </message>
    <message>
      <source>Set OMP_NUM_THREADS and TF_NUM_INTRAOP_THREADS in environment.variables, or raise ulimit -u.</source>
      <translation>Fije OMP_NUM_THREADS y TF_NUM_INTRAOP_THREADS en environment.variables o suba ulimit -u.</translation>
    </message>
    <message>
      <source>Set XLA_FLAGS=--xla_gpu_cuda_data_dir=… in environment.variables, or install tensorflow[and-cuda].</source>
      <translation>Fije XLA_FLAGS=--xla_gpu_cuda_data_dir=… en environment.variables o instale tensorflow[and-cuda].</translation>
    </message>
    <message>
      <source>Set storage.root to another disk, and tell who looks after the node.</source>
      <translation>Fije storage.root en otro disco y avise a quien cuida del nodo.</translation>
    </message>
    <message>
      <source>Set training.code to the folder that has it; it is sent with the run.</source>
      <translation>Fije training.code en la carpeta que lo tiene; se envía con la ejecución.</translation>
    </message>
    <message>
      <source>Set up NTP on both.</source>
      <translation>Configure NTP en ambos.</translation>
    </message>
    <message>
      <source>Set up NTP on the node or here; Clew's charts take the difference into account.</source>
      <translation>Configure NTP en el nodo o aquí; los gráficos de Clew tienen en cuenta la diferencia.</translation>
    </message>
    <message>
      <source>Settings of the run</source>
      <translation>Ajustes de la ejecución</translation>
    </message>
    <message>
      <source>Settings that are not the default</source>
      <translation>Ajustes distintos de los predeterminados</translation>
    </message>
    <message>
      <source>Settings that differ</source>
      <translation>Ajustes que difieren</translation>
    </message>
    <message>
      <source>Show a row of the heat map as lines; a click on it does the same</source>
      <translation>Muestra una fila del mapa de calor como líneas; un clic en ella hace lo mismo</translation>
    </message>
    <message>
      <source>Show all again (double click)</source>
      <translation>Volver a mostrar todo (doble clic)</translation>
    </message>
    <message>
      <source>Show all keys</source>
      <translation>Muestra todas las teclas</translation>
    </message>
    <message>
      <source>Show all tasks instead of the chosen one</source>
      <translation>Muestra todas las tareas en lugar de la elegida</translation>
    </message>
    <message>
      <source>Show in the desktop's tray what the run does</source>
      <translation>Muestra en la bandeja del escritorio qué hace la ejecución</translation>
    </message>
    <message>
      <source>Show in the log</source>
      <translation>Mostrar en el registro</translation>
    </message>
    <message>
      <source>Show the chosen runs together  (C)</source>
      <translation>Muestra juntas las ejecuciones elegidas  (C)</translation>
    </message>
    <message>
      <source>Show the chosen window again (double click)</source>
      <translation>Volver a mostrar la ventana elegida (doble clic)</translation>
    </message>
    <message>
      <source>Show the run as it is on record  (Enter)</source>
      <translation>Muestra la ejecución tal como está registrada  (Intro)</translation>
    </message>
    <message>
      <source>Show the version and the licence</source>
      <translation>Muestra la versión y la licencia</translation>
    </message>
    <message>
      <source>Show the window</source>
      <translation>Mostrar la ventana</translation>
    </message>
    <message>
      <source>Show what the plan means in place of the board</source>
      <translation>Muestra lo que significa el plan en lugar del tablero</translation>
    </message>
    <message>
      <source>Side of the square images of imagenet (empty: 224) and synthetic.</source>
      <translation>Lado de las imágenes cuadradas de imagenet (vacío: 224) y synthetic.</translation>
    </message>
    <message>
      <source>Size</source>
      <translation>Tamaño</translation>
    </message>
    <message>
      <source>Sizes of the study</source>
      <translation>Tamaños del estudio</translation>
    </message>
    <message>
      <source>Slurm does not say when it starts</source>
      <translation>Slurm no dice cuándo empieza</translation>
    </message>
    <message>
      <source>Slurm gives the nodes of this profile.</source>
      <translation>Slurm da los nodos de este perfil.</translation>
    </message>
    <message>
      <source>Slurm gives the nodes when the job starts: tasks are placed then, by the same rules, and not by hand. How many nodes and GPUs there will be is on the Cluster page.</source>
      <translation>Slurm da los nodos cuando empieza el trabajo: entonces se colocan las tareas, con las mismas reglas, y no a mano. Cuántos nodos y GPU habrá está en la página Clúster.</translation>
    </message>
    <message>
      <source>Slurm job</source>
      <translation>Trabajo de Slurm</translation>
    </message>
    <message>
      <source>Slurm {version}{name}</source>
      <translation>Slurm {version}{name}</translation>
    </message>
    <message>
      <source>Smooth</source>
      <translation>Suavizar</translation>
    </message>
    <message>
      <source>Somebody, or the system that the node belongs to, interrupted the program.</source>
      <translation>Alguien, o el sistema al que pertenece el nodo, interrumpió el programa.</translation>
    </message>
    <message>
      <source>Space</source>
      <translation>Espacio</translation>
    </message>
    <message>
      <source>Speed</source>
      <translation>Velocidad</translation>
    </message>
    <message>
      <source>Speedup by number of workers</source>
      <translation>Aceleración por número de workers</translation>
    </message>
    <message>
      <source>Start a run on the connected nodes</source>
      <translation>Inicia una ejecución en los nodos conectados</translation>
    </message>
    <message>
      <source>Start an empty profile</source>
      <translation>Empieza un perfil vacío</translation>
    </message>
    <message>
      <source>Start it again.</source>
      <translation>Vuelva a iniciarlo.</translation>
    </message>
    <message>
      <source>Start the run again; it goes on from its last checkpoint.</source>
      <translation>Vuelva a iniciar la ejecución; sigue desde su último punto de control.</translation>
    </message>
    <message>
      <source>Start the run again; keep data that a run reads unchanged.</source>
      <translation>Vuelva a iniciar la ejecución; no cambie los datos que lee una ejecución.</translation>
    </message>
    <message>
      <source>Start three practice nodes</source>
      <translation>Inicia tres nodos de práctica</translation>
    </message>
    <message>
      <source>Start with an empty list of nodes</source>
      <translation>Empezar con una lista de nodos vacía</translation>
    </message>
    <message>
      <source>Started</source>
      <translation>Inicio</translation>
    </message>
    <message>
      <source>Starting three practice nodes on this computer …</source>
      <translation>Iniciando tres nodos de práctica en este ordenador …</translation>
    </message>
    <message>
      <source>State</source>
      <translation>Estado</translation>
    </message>
    <message>
      <source>State of the runs</source>
      <translation>Estado de las ejecuciones</translation>
    </message>
    <message>
      <source>Step</source>
      <translation>Paso</translation>
    </message>
    <message>
      <source>Step of {total:,}</source>
      <translation>Paso de {total:,}</translation>
    </message>
    <message>
      <source>Step size; never scaled silently.</source>
      <translation>Tamaño del paso; nunca se escala en silencio.</translation>
    </message>
    <message>
      <source>Step {step} of {steps}</source>
      <translation>Paso {step} de {steps}</translation>
    </message>
    <message>
      <source>Steps</source>
      <translation>Pasos</translation>
    </message>
    <message>
      <source>Steps of each node</source>
      <translation>Pasos de cada nodo</translation>
    </message>
    <message>
      <source>Stop &amp;now</source>
      <translation>Detener &amp;ahora</translation>
    </message>
    <message>
      <source>Stop after a checkpoint</source>
      <translation>Detener tras un punto de control</translation>
    </message>
    <message>
      <source>Stop after so many evaluations without a lower test loss.</source>
      <translation>Parar tras tantas evaluaciones sin una pérdida de prueba menor.</translation>
    </message>
    <message>
      <source>Stop after this many global steps.</source>
      <translation>Parar tras este número de pasos globales.</translation>
    </message>
    <message>
      <source>Stop after this many passes over the data.</source>
      <translation>Parar tras este número de pasadas por los datos.</translation>
    </message>
    <message>
      <source>Stop it and close</source>
      <translation>Detenerla y cerrar</translation>
    </message>
    <message>
      <source>Stop it, or wait for its end.</source>
      <translation>Deténgala o espere a que termine.</translation>
    </message>
    <message>
      <source>Stop it: clew stop {run}.</source>
      <translation>Deténgala: clew stop {run}.</translation>
    </message>
    <message>
      <source>Stop now</source>
      <translation>Detener ahora</translation>
    </message>
    <message>
      <source>Stop once the test accuracy is this high.</source>
      <translation>Parar cuando la exactitud de prueba sea así de alta.</translation>
    </message>
    <message>
      <source>Stop once the test loss is this low.</source>
      <translation>Parar cuando la pérdida de prueba sea así de baja.</translation>
    </message>
    <message>
      <source>Stop run {run_id}?</source>
      <translation>¿Detener la ejecución {run_id}?</translation>
    </message>
    <message>
      <source>Stop the run first.</source>
      <translation>Detenga primero la ejecución.</translation>
    </message>
    <message>
      <source>Stop the run on all nodes; asks how deep</source>
      <translation>Detiene la ejecución en todos los nodos; pregunta cómo de a fondo</translation>
    </message>
    <message>
      <source>Stop the study?</source>
      <translation>¿Detener el estudio?</translation>
    </message>
    <message>
      <source>Stopped. {rest}</source>
      <translation>Detenido. {rest}</translation>
    </message>
    <message>
      <source>Stopping takes long</source>
      <translation>La parada tarda</translation>
    </message>
    <message>
      <source>Stopping takes long: {detail}</source>
      <translation>La parada tarda: {detail}</translation>
    </message>
    <message>
      <source>Stopping the run …</source>
      <translation>Deteniendo la ejecución …</translation>
    </message>
    <message>
      <source>Stored in</source>
      <translation>Guardada en</translation>
    </message>
    <message>
      <source>Stored in {stored_in}</source>
      <translation>Guardadas en {stored_in}</translation>
    </message>
    <message>
      <source>Studies</source>
      <translation>Estudios</translation>
    </message>
    <message>
      <source>Synchronous workers</source>
      <translation>Workers síncronos</translation>
    </message>
    <message>
      <source>System colours</source>
      <translation>Colores del sistema</translation>
    </message>
    <message>
      <source>Tables (*.csv)</source>
      <translation>Tablas (*.csv)</translation>
    </message>
    <message>
      <source>Tables as CSV…</source>
      <translation>Tablas como CSV…</translation>
    </message>
    <message>
      <source>Tags</source>
      <translation>Etiquetas</translation>
    </message>
    <message>
      <source>Take a run bundle into the history</source>
      <translation>Incorpora un paquete de ejecución al historial</translation>
    </message>
    <message>
      <source>Take another name.</source>
      <translation>Elija otro nombre.</translation>
    </message>
    <message>
      <source>Take back the last change of the profile</source>
      <translation>Deshace el último cambio del perfil</translation>
    </message>
    <message>
      <source>Take control</source>
      <translation>Tomar el control</translation>
    </message>
    <message>
      <source>Take control and stop</source>
      <translation>Tomar el control y detener</translation>
    </message>
    <message>
      <source>Take control of it, and stop it?</source>
      <translation>¿Tomar su control y detenerla?</translation>
    </message>
    <message>
      <source>Take job {job} out of the queue?</source>
      <translation>¿Sacar el trabajo {job} de la cola?</translation>
    </message>
    <message>
      <source>Take the selected choices back to what is saved</source>
      <translation>Devolver las opciones elegidas a lo guardado</translation>
    </message>
    <message>
      <source>Target accuracy</source>
      <translation>Exactitud objetivo</translation>
    </message>
    <message>
      <source>Task</source>
      <translation>Tarea</translation>
    </message>
    <message>
      <source>Tasks</source>
      <translation>Tareas</translation>
    </message>
    <message>
      <source>Tasks and their starts</source>
      <translation>Tareas y sus arranques</translation>
    </message>
    <message>
      <source>Tasks have a few seconds to end by themselves: a large model may not be saved.</source>
      <translation>Las tareas tienen unos segundos para terminar por sí mismas: un modelo grande puede no guardarse.</translation>
    </message>
    <message>
      <source>Tasks of the run</source>
      <translation>Tareas de la ejecución</translation>
    </message>
    <message>
      <source>Tasks without a place</source>
      <translation>Tareas sin sitio</translation>
    </message>
    <message>
      <source>Tell of a run's end, failure and stall when Clew is not in front</source>
      <translation>Avisa del final, el fallo y el estancamiento de una ejecución cuando Clew no está al frente</translation>
    </message>
    <message>
      <source>Temperature</source>
      <translation>Temperatura</translation>
    </message>
    <message>
      <source>TensorFlow finds an older cuDNN than it was built for.</source>
      <translation>TensorFlow encuentra una cuDNN más vieja que aquella para la que se compiló.</translation>
    </message>
    <message>
      <source>TensorFlow starts</source>
      <translation>TensorFlow arranca</translation>
    </message>
    <message>
      <source>Tensorboard</source>
      <translation>TensorBoard</translation>
    </message>
    <message>
      <source>Text (*.txt *.log)</source>
      <translation>Texto (*.txt *.log)</translation>
    </message>
    <message>
      <source>That was refused. Try again.</source>
      <translation>Se rechazó. Inténtelo de nuevo.</translation>
    </message>
    <message>
      <source>The GPU reports a fault of its hardware.</source>
      <translation>La GPU informa de un fallo de su hardware.</translation>
    </message>
    <message>
      <source>The NVIDIA driver was updated, and the node not restarted since.</source>
      <translation>Se actualizó el controlador NVIDIA y el nodo no se ha reiniciado desde entonces.</translation>
    </message>
    <message>
      <source>The Python of this node does not have that package, or your code is not there.</source>
      <translation>El Python de este nodo no tiene ese paquete, o su código no está allí.</translation>
    </message>
    <message>
      <source>The Runs page has {more} more.</source>
      <translation>La página Ejecuciones tiene {more} más.</translation>
    </message>
    <message>
      <source>The chief saves a checkpoint first, for up to five minutes.</source>
      <translation>El jefe guarda antes un punto de control, hasta cinco minutos.</translation>
    </message>
    <message>
      <source>The cluster took the node away.</source>
      <translation>El clúster retiró el nodo.</translation>
    </message>
    <message>
      <source>The code has an error there, or is written for a newer Python than this node's.</source>
      <translation>El código tiene un error ahí, o está escrito para un Python más nuevo que el de este nodo.</translation>
    </message>
    <message>
      <source>The code is written for another version of TensorFlow or Keras.</source>
      <translation>El código está escrito para otra versión de TensorFlow o Keras.</translation>
    </message>
    <message>
      <source>The comments of {name} are kept in {copy}</source>
      <translation>Los comentarios de {name} se conservan en {copy}</translation>
    </message>
    <message>
      <source>The data have another shape than the model expects.</source>
      <translation>Los datos tienen otra forma que la que el modelo espera.</translation>
    </message>
    <message>
      <source>The data have more classes than the model's last layer has outputs.</source>
      <translation>Los datos tienen más clases que salidas la última capa del modelo.</translation>
    </message>
    <message>
      <source>The disk cannot be written to; Linux does that to a disk with errors, too.</source>
      <translation>No se puede escribir en el disco; Linux también hace eso con un disco con errores.</translation>
    </message>
    <message>
      <source>The disk that the program writes to is full.</source>
      <translation>El disco en el que escribe el programa está lleno.</translation>
    </message>
    <message>
      <source>The draft is restored without its file.</source>
      <translation>El borrador se restaura sin su archivo.</translation>
    </message>
    <message>
      <source>The driver gives this program no GPU: none is there, or it is hidden or broken.</source>
      <translation>El controlador no da ninguna GPU a este programa: no la hay, o está oculta o rota.</translation>
    </message>
    <message>
      <source>The file is not on this node, or the path is meant relative to another folder.</source>
      <translation>El archivo no está en este nodo, o la ruta es relativa a otra carpeta.</translation>
    </message>
    <message>
      <source>The file was replaced or deleted on the file server while it was in use.</source>
      <translation>El archivo se reemplazó o borró en el servidor de archivos mientras se usaba.</translation>
    </message>
    <message>
      <source>The find before</source>
      <translation>El hallazgo anterior</translation>
    </message>
    <message>
      <source>The find before this one  (Shift+F3)</source>
      <translation>El hallazgo anterior  (Mayús+F3)</translation>
    </message>
    <message>
      <source>The job</source>
      <translation>El trabajo</translation>
    </message>
    <message>
      <source>The job has no number yet</source>
      <translation>El trabajo aún no tiene número</translation>
    </message>
    <message>
      <source>The job is being handed in</source>
      <translation>Se está entregando el trabajo</translation>
    </message>
    <message>
      <source>The job waits. Charts begin when it has its nodes.</source>
      <translation>El trabajo espera. Los gráficos empiezan cuando tenga sus nodos.</translation>
    </message>
    <message>
      <source>The job's time was up.</source>
      <translation>Se acabó el tiempo del trabajo.</translation>
    </message>
    <message>
      <source>The kind of data set, or your own as package.module:function.</source>
      <translation>El tipo de conjunto de datos, o el suyo como paquete.módulo:función.</translation>
    </message>
    <message>
      <source>The longest pause before a restart.</source>
      <translation>La pausa más larga antes de un rearranque.</translation>
    </message>
    <message>
      <source>The menu of a chart: save as picture</source>
      <translation>El menú de un gráfico: guardar como imagen</translation>
    </message>
    <message>
      <source>The menu of a run: export and more</source>
      <translation>El menú de una ejecución: exportar y más</translation>
    </message>
    <message>
      <source>The menus</source>
      <translation>Los menús</translation>
    </message>
    <message>
      <source>The model and its batch do not fit into the device's memory.</source>
      <translation>El modelo y su lote no caben en la memoria del dispositivo.</translation>
    </message>
    <message>
      <source>The network to train, or your own as package.module:function.</source>
      <translation>La red que se entrena, o la suya como paquete.módulo:función.</translation>
    </message>
    <message>
      <source>The newest line</source>
      <translation>La línea más nueva</translation>
    </message>
    <message>
      <source>The next find</source>
      <translation>El siguiente hallazgo</translation>
    </message>
    <message>
      <source>The next find  (F3)</source>
      <translation>El siguiente hallazgo  (F3)</translation>
    </message>
    <message>
      <source>The node has not as much memory as the program asked for.</source>
      <translation>El nodo no tiene tanta memoria como pidió el programa.</translation>
    </message>
    <message>
      <source>The node's NVIDIA driver is older than the CUDA that TensorFlow was built with.</source>
      <translation>El controlador NVIDIA del nodo es más viejo que la CUDA con la que se compiló TensorFlow.</translation>
    </message>
    <message>
      <source>The node, or the job's share of it, ran out of memory, and the kernel killed it.</source>
      <translation>El nodo, o la parte que le toca al trabajo, se quedó sin memoria y el kernel lo mató.</translation>
    </message>
    <message>
      <source>The nodes are not connected.</source>
      <translation>Los nodos no están conectados.</translation>
    </message>
    <message>
      <source>The nodes end the run after so long, with a checkpoint, whoever watches.</source>
      <translation>Los nodos terminan la ejecución tras ese tiempo, con un punto de control, mire quien mire.</translation>
    </message>
    <message>
      <source>The nodes go on with it; what they could not end is ended at the next connection.</source>
      <translation>Los nodos siguen con ello; lo que no pudieron terminar se termina en la próxima conexión.</translation>
    </message>
    <message>
      <source>The nodes keep these names; SSH's own configuration says how to reach them.</source>
      <translation>Los nodos conservan estos nombres; la propia configuración de SSH dice cómo llegar a ellos.</translation>
    </message>
    <message>
      <source>The nodes of a running run cannot change.</source>
      <translation>Los nodos de una ejecución en curso no pueden cambiar.</translation>
    </message>
    <message>
      <source>The nodes were edited. Connect again to see them here.</source>
      <translation>Los nodos se modificaron. Vuelva a conectar para verlos aquí.</translation>
    </message>
    <message>
      <source>The nodes were edited. Connect again to use them.</source>
      <translation>Los nodos se modificaron. Vuelva a conectar para usarlos.</translation>
    </message>
    <message>
      <source>The nodes were let go. {rest}</source>
      <translation>Se soltaron los nodos. {rest}</translation>
    </message>
    <message>
      <source>The package was built for a newer system than this node's.</source>
      <translation>El paquete se compiló para un sistema más nuevo que el de este nodo.</translation>
    </message>
    <message>
      <source>The plan appears when the profile has no mistakes.</source>
      <translation>El plan aparece cuando el perfil no tiene errores.</translation>
    </message>
    <message>
      <source>The preset {name} was deleted.</source>
      <translation>Se borró el preajuste {name}.</translation>
    </message>
    <message numerus="yes">
      <source>The profile has {n} mistakes: {first}</source>
      <translation>
        <numerusform>El perfil tiene un error: {first}</numerusform>
        <numerusform>El perfil tiene {n} errores: {first}</numerusform>
      </translation>
    </message>
    <message>
      <source>The profile of run {run_id} is not on record.</source>
      <translation>El perfil de la ejecución {run_id} no está registrado.</translation>
    </message>
    <message>
      <source>The program does not know the arguments that it was given.</source>
      <translation>El programa no conoce los argumentos que recibió.</translation>
    </message>
    <message>
      <source>The program has more files or sockets open than this account may.</source>
      <translation>El programa tiene abiertos más archivos o sockets de los que puede esta cuenta.</translation>
    </message>
    <message>
      <source>The program is not on this node.</source>
      <translation>El programa no está en este nodo.</translation>
    </message>
    <message>
      <source>The program was built for a newer processor than this node's.</source>
      <translation>El programa se compiló para un procesador más nuevo que el de este nodo.</translation>
    </message>
    <message>
      <source>The run ended, but something is left: {left}</source>
      <translation>La ejecución terminó, pero queda algo: {left}</translation>
    </message>
    <message>
      <source>The run failed</source>
      <translation>La ejecución falló</translation>
    </message>
    <message>
      <source>The run failed.</source>
      <translation>La ejecución falló.</translation>
    </message>
    <message>
      <source>The run failed: {reason}</source>
      <translation>La ejecución falló: {reason}</translation>
    </message>
    <message>
      <source>The run has ended at step {step:,}. Nothing is left on the nodes.</source>
      <translation>La ejecución ha terminado en el paso {step:,}. No queda nada en los nodos.</translation>
    </message>
    <message>
      <source>The run has ended, but something is left on {nodes}.</source>
      <translation>La ejecución ha terminado, pero queda algo en {nodes}.</translation>
    </message>
    <message>
      <source>The run is finished at step {step:,}. Nothing is left on the nodes.</source>
      <translation>La ejecución se ha completado en el paso {step:,}. No queda nada en los nodos.</translation>
    </message>
    <message>
      <source>The run is stopped at step {step:,}. Nothing is left on the nodes.</source>
      <translation>La ejecución se ha detenido en el paso {step:,}. No queda nada en los nodos.</translation>
    </message>
    <message>
      <source>The running mean of the loss, as on the live page</source>
      <translation>La media móvil de la pérdida, como en la página En vivo</translation>
    </message>
    <message>
      <source>The same happened to {names}.</source>
      <translation>Lo mismo pasó a {names}.</translation>
    </message>
    <message>
      <source>The same model without ps or network: what speedups are measured against</source>
      <translation>El mismo modelo sin ps ni red: con lo que se miden las aceleraciones</translation>
    </message>
    <message>
      <source>The same training is run with each number of workers and of ps, one after another, and as a single process to compare with. Every run sees as many examples.</source>
      <translation>El mismo entrenamiento se ejecuta con cada número de workers y de ps, uno tras otro, y como un solo proceso para comparar. Cada ejecución ve los mismos ejemplos.</translation>
    </message>
    <message>
      <source>The step size grows from 0 over these global steps; the schedule follows.</source>
      <translation>El tamaño del paso crece desde 0 durante estos pasos globales; después sigue la programación.</translation>
    </message>
    <message>
      <source>The study belongs to another profile. Open its profile and connect first.</source>
      <translation>El estudio pertenece a otro perfil. Abra su perfil y conecte primero.</translation>
    </message>
    <message>
      <source>The task</source>
      <translation>La tarea</translation>
    </message>
    <message>
      <source>The update rule, as Keras 3 defines it.</source>
      <translation>La regla de actualización, como la define Keras 3.</translation>
    </message>
    <message>
      <source>The window is in English from the next start on.</source>
      <translation>La ventana estará en español a partir del próximo inicio.</translation>
    </message>
    <message>
      <source>The window stays in English.</source>
      <translation>La ventana sigue en español.</translation>
    </message>
    <message>
      <source>Their keys are not known yet. {compare}</source>
      <translation>Sus claves aún no se conocen. {compare}</translation>
    </message>
    <message>
      <source>There are no nodes yet. Add the first one on the Cluster page.</source>
      <translation>Aún no hay nodos. Añada el primero en la página Clúster.</translation>
    </message>
    <message>
      <source>There is a file of that name already.</source>
      <translation>Ya hay un archivo con ese nombre.</translation>
    </message>
    <message>
      <source>There is more like this: type more of it.</source>
      <translation>Hay más así: escriba algo más.</translation>
    </message>
    <message>
      <source>There is no plan</source>
      <translation>No hay plan</translation>
    </message>
    <message>
      <source>There is no plan yet.</source>
      <translation>Aún no hay plan.</translation>
    </message>
    <message>
      <source>There is no {file} on this computer. Add nodes by their host name instead.</source>
      <translation>No hay {file} en este ordenador. Añada los nodos por su nombre de host.</translation>
    </message>
    <message>
      <source>There must be a ps to train a model. Move it instead.</source>
      <translation>Tiene que haber un ps para entrenar un modelo. Muévalo.</translation>
    </message>
    <message>
      <source>There must be a worker. Move it instead.</source>
      <translation>Tiene que haber un worker. Muévalo.</translation>
    </message>
    <message>
      <source>They are lost otherwise.</source>
      <translation>Si no, se pierden.</translation>
    </message>
    <message>
      <source>This TensorFlow has no code for a GPU of this generation.</source>
      <translation>Este TensorFlow no tiene código para una GPU de esta generación.</translation>
    </message>
    <message>
      <source>This account has used up its share of that disk.</source>
      <translation>Esta cuenta ha agotado su parte de ese disco.</translation>
    </message>
    <message>
      <source>This account may not read or write that file on this node.</source>
      <translation>Esta cuenta no puede leer o escribir ese archivo en este nodo.</translation>
    </message>
    <message>
      <source>This account may not start more threads or processes on the node.</source>
      <translation>Esta cuenta no puede iniciar más hilos o procesos en el nodo.</translation>
    </message>
    <message>
      <source>This desktop has no tray.</source>
      <translation>Este escritorio no tiene bandeja.</translation>
    </message>
    <message>
      <source>This node is waiting for your answer.</source>
      <translation>Este nodo espera su respuesta.</translation>
    </message>
    <message>
      <source>This profile was made by a newer Clew: it can be used, and not edited.</source>
      <translation>Este perfil lo hizo un Clew más nuevo: se puede usar, y no editar.</translation>
    </message>
    <message>
      <source>This run has ended. Open shows it.</source>
      <translation>Esta ejecución ha terminado. Abrir la muestra.</translation>
    </message>
    <message>
      <source>This run is controlled from {holder}.</source>
      <translation>Esta ejecución se controla desde {holder}.</translation>
    </message>
    <message>
      <source>This run was imported: it is not followed from here. Open shows it.</source>
      <translation>Esta ejecución se importó: no se sigue desde aquí. Abrir la muestra.</translation>
    </message>
    <message>
      <source>Three small nodes, no GPU, no account needed</source>
      <translation>Tres nodos pequeños, sin GPU ni cuenta</translation>
    </message>
    <message>
      <source>Through</source>
      <translation>A través de</translation>
    </message>
    <message>
      <source>Throughput</source>
      <translation>Rendimiento</translation>
    </message>
    <message>
      <source>Throughput  (examples/s)</source>
      <translation>Rendimiento  (ejemplos/s)</translation>
    </message>
    <message>
      <source>Tick a node first.</source>
      <translation>Marque primero un nodo.</translation>
    </message>
    <message>
      <source>Ticked is what nobody can need any more. Folders of old runs hold their checkpoints and logs; files that no run uses now are sent again when one does. What is in use has no box.</source>
      <translation>Está marcado lo que ya nadie puede necesitar. Las carpetas de ejecuciones viejas contienen sus puntos de control y registros; los archivos que ahora no usa ninguna se envían otra vez cuando hagan falta. Lo que está en uso no tiene casilla.</translation>
    </message>
    <message>
      <source>Time between checkpoints on the chief.</source>
      <translation>Tiempo entre puntos de control en el jefe.</translation>
    </message>
    <message>
      <source>Time limit</source>
      <translation>Límite de tiempo</translation>
    </message>
    <message>
      <source>Time window</source>
      <translation>Ventana de tiempo</translation>
    </message>
    <message>
      <source>To another task or free device</source>
      <translation>A otra tarea o dispositivo libre</translation>
    </message>
    <message>
      <source>To first step</source>
      <translation>Al primer paso</translation>
    </message>
    <message>
      <source>To the next control, to the one before</source>
      <translation>Al control siguiente, al anterior</translation>
    </message>
    <message>
      <source>Train on your GPU machines over SSH, and see every step.</source>
      <translation>Entrene en sus máquinas con GPU por SSH y vea cada paso.</translation>
    </message>
    <message>
      <source>Training</source>
      <translation>Entrenamiento</translation>
    </message>
    <message>
      <source>Training went out of bounds: mostly the learning rate is too high, or the data hold NaN or infinity.</source>
      <translation>El entrenamiento se desbordó: casi siempre la tasa de aprendizaje es demasiado alta, o los datos contienen NaN o infinito.</translation>
    </message>
    <message>
      <source>Training, on the board</source>
      <translation>Entrenamiento, en el tablero</translation>
    </message>
    <message>
      <source>Truncated</source>
      <translation>Truncadas</translation>
    </message>
    <message>
      <source>Trust and connect</source>
      <translation>Confiar y conectar</translation>
    </message>
    <message>
      <source>Trust {count} and connect</source>
      <translation>Confiar en {count} y conectar</translation>
    </message>
    <message>
      <source>Try again; please report it as a fault of Clew if it stays.</source>
      <translation>Inténtelo de nuevo; si sigue, comuníquelo como fallo de Clew.</translation>
    </message>
    <message>
      <source>Try another GPU; if it fails there as well, look for indices out of range.</source>
      <translation>Pruebe otra GPU; si allí también falla, busque índices fuera de rango.</translation>
    </message>
    <message>
      <source>Type a host, or an SSH alias.</source>
      <translation>Escriba un host o un alias de SSH.</translation>
    </message>
    <message>
      <source>Type the host name of the new node first.</source>
      <translation>Escriba primero el nombre de host del nodo nuevo.</translation>
    </message>
    <message>
      <source>Type the host name of the new node.</source>
      <translation>Escriba el nombre de host del nodo nuevo.</translation>
    </message>
    <message>
      <source>Undo</source>
      <translation>Deshacer</translation>
    </message>
    <message>
      <source>Unknown host key of {node}</source>
      <translation>Clave de host desconocida de {node}</translation>
    </message>
    <message>
      <source>Unknown host keys</source>
      <translation>Claves de host desconocidas</translation>
    </message>
    <message>
      <source>Untitled profile</source>
      <translation>Perfil sin título</translation>
    </message>
    <message>
      <source>Update</source>
      <translation>Actualización</translation>
    </message>
    <message>
      <source>Use a newer GPU, or a TensorFlow that was built for this one.</source>
      <translation>Use una GPU más nueva o un TensorFlow compilado para esta.</translation>
    </message>
    <message>
      <source>Use a node with AVX, or a build of TensorFlow for older processors.</source>
      <translation>Use un nodo con AVX o un TensorFlow para procesadores más viejos.</translation>
    </message>
    <message>
      <source>Use a smaller batch or load less data at a time, or a node with more memory.</source>
      <translation>Use un lote más pequeño, cargue menos datos a la vez o use un nodo con más memoria.</translation>
    </message>
    <message>
      <source>User</source>
      <translation>Usuario</translation>
    </message>
    <message>
      <source>Utilization</source>
      <translation>Uso</translation>
    </message>
    <message>
      <source>Version {version}</source>
      <translation>Versión {version}</translation>
    </message>
    <message>
      <source>View</source>
      <translation>Ver</translation>
    </message>
    <message>
      <source>Wait until all nodes have answered.</source>
      <translation>Espere a que todos los nodos hayan respondido.</translation>
    </message>
    <message>
      <source>Waiting: {reason}</source>
      <translation>Esperando: {reason}</translation>
    </message>
    <message>
      <source>Warmup steps</source>
      <translation>Pasos de calentamiento</translation>
    </message>
    <message>
      <source>Warnings and errors</source>
      <translation>Avisos y errores</translation>
    </message>
    <message>
      <source>Watched only: this run is controlled from {holder}.</source>
      <translation>Solo se observa: esta ejecución se controla desde {holder}.</translation>
    </message>
    <message>
      <source>Ways</source>
      <translation>Caminos</translation>
    </message>
    <message>
      <source>Web pages (*.html)</source>
      <translation>Páginas web (*.html)</translation>
    </message>
    <message>
      <source>Weight decay</source>
      <translation>Decaimiento de pesos</translation>
    </message>
    <message>
      <source>What</source>
      <translation>Qué</translation>
    </message>
    <message>
      <source>What do more workers give?</source>
      <translation>¿Qué aportan más workers?</translation>
    </message>
    <message>
      <source>What each task wrote to its standard output and error</source>
      <translation>Lo que cada tarea escribió en su salida estándar y de errores</translation>
    </message>
    <message>
      <source>What is shown of the plan</source>
      <translation>Lo que se muestra del plan</translation>
    </message>
    <message>
      <source>What limits the run</source>
      <translation>Qué limita la ejecución</translation>
    </message>
    <message>
      <source>What runs have left on the nodes</source>
      <translation>Lo que las ejecuciones han dejado en los nodos</translation>
    </message>
    <message>
      <source>What the charts count by</source>
      <translation>En qué cuentan los gráficos</translation>
    </message>
    <message>
      <source>What the check found</source>
      <translation>Lo que encontró la comprobación</translation>
    </message>
    <message>
      <source>What the form has, and what {name} has.</source>
      <translation>Lo que tiene el formulario y lo que tiene {name}.</translation>
    </message>
    <message>
      <source>What the plan means</source>
      <translation>Qué significa el plan</translation>
    </message>
    <message>
      <source>What the study does</source>
      <translation>Qué hace el estudio</translation>
    </message>
    <message>
      <source>What the study takes</source>
      <translation>Qué supone el estudio</translation>
    </message>
    <message>
      <source>What to do</source>
      <translation>Qué hacer</translation>
    </message>
    <message>
      <source>What to do about it</source>
      <translation>Qué hacer al respecto</translation>
    </message>
    <message>
      <source>What to do with a JPEG whose end is missing: skip it, or use it with the missing part gray.</source>
      <translation>Qué hacer con un JPEG al que le falta el final: saltarlo (skip) o usarlo con la parte que falta en gris.</translation>
    </message>
    <message>
      <source>What to train</source>
      <translation>Qué entrenar</translation>
    </message>
    <message>
      <source>What to train, and where each task will run</source>
      <translation>Qué entrenar y dónde se ejecutará cada tarea</translation>
    </message>
    <message>
      <source>What training makes smaller. cross_entropy takes logits and class numbers; the others are Keras' functions of that name, given what the model returns.</source>
      <translation>Lo que el entrenamiento reduce. cross_entropy toma logits y números de clase; las demás son las funciones de Keras de ese nombre, con lo que devuelve el modelo.</translation>
    </message>
    <message>
      <source>What was made is kept, and Resume goes on with the rest. A run that is stopped now is made again then.</source>
      <translation>Lo hecho se conserva y Reanudar continúa con el resto. Una ejecución que se detenga ahora se hará de nuevo.</translation>
    </message>
    <message>
      <source>What {name} was is kept in {copy}</source>
      <translation>Lo que era {name} se conserva en {copy}</translation>
    </message>
    <message>
      <source>When a loss is no number any more: stop the run, or go on and say so.</source>
      <translation>Cuando una pérdida ya no es un número: detener la ejecución, o seguir y decirlo.</translation>
    </message>
    <message>
      <source>When the runs were started</source>
      <translation>Cuándo se iniciaron las ejecuciones</translation>
    </message>
    <message>
      <source>Where cosine ends, as part of the step size.</source>
      <translation>Dónde acaba cosine, como parte del tamaño del paso.</translation>
    </message>
    <message>
      <source>Where one logs in, and Slurm gives the nodes</source>
      <translation>Donde se entra, y Slurm da los nodos</translation>
    </message>
    <message>
      <source>Where the job waits; those of the cluster are listed once you are connected</source>
      <translation>Donde espera el trabajo; las del clúster aparecen al conectar</translation>
    </message>
    <message>
      <source>Where time goes</source>
      <translation>En qué se va el tiempo</translation>
    </message>
    <message>
      <source>Where you log in and sbatch is: a host name or an alias of ~/.ssh/config</source>
      <translation>Donde se entra y está sbatch: un nombre de host o un alias de ~/.ssh/config</translation>
    </message>
    <message>
      <source>Which ends are tried again. on-failure: all but those that no restart can mend; exit-code: only signals and statuses from 128 on, those from 1 to 127 are final; never: none.</source>
      <translation>Qué finales se reintentan. on-failure: todos salvo los que ningún rearranque puede remediar; exit-code: solo señales y estados desde 128, los de 1 a 127 son definitivos; never: ninguno.</translation>
    </message>
    <message>
      <source>Which machines of run {run_id} are gone for good?</source>
      <translation>¿Qué máquinas de la ejecución {run_id} se han ido para siempre?</translation>
    </message>
    <message>
      <source>Which size to train with</source>
      <translation>Con qué tamaño entrenar</translation>
    </message>
    <message>
      <source>Who reaches whom</source>
      <translation>Quién llega a quién</translation>
    </message>
    <message>
      <source>Whole run</source>
      <translation>Toda la ejecución</translation>
    </message>
    <message>
      <source>Whose hours are used</source>
      <translation>De quién son las horas</translation>
    </message>
    <message>
      <source>Why</source>
      <translation>Por qué</translation>
    </message>
    <message>
      <source>Wire</source>
      <translation>Transporte</translation>
    </message>
    <message>
      <source>With TensorFlow in it</source>
      <translation>Con TensorFlow instalado</translation>
    </message>
    <message>
      <source>Worker per</source>
      <translation>Un worker por</translation>
    </message>
    <message>
      <source>Workers</source>
      <translation>Workers</translation>
    </message>
    <message>
      <source>Workers wait {n}% of the time for the average of a step.</source>
      <translation>Los workers esperan el {n} % del tiempo la media de un paso.</translation>
    </message>
    <message>
      <source>Workers wait {n}% of the time for the next batch.</source>
      <translation>Los workers esperan el {n} % del tiempo el siguiente lote.</translation>
    </message>
    <message>
      <source>Write loss and accuracy for TensorBoard beside the checkpoints.</source>
      <translation>Escribir pérdida y exactitud para TensorBoard junto a los puntos de control.</translation>
    </message>
    <message>
      <source>Write one like 0.98, or leave it empty.</source>
      <translation>Escriba una como 0.98, o déjela vacía.</translation>
    </message>
    <message>
      <source>Write one, like 3.</source>
      <translation>Escriba uno, como 3.</translation>
    </message>
    <message>
      <source>Write that file again, and see that its copying was not broken off.</source>
      <translation>Escriba ese archivo de nuevo y vea que su copia no se interrumpió.</translation>
    </message>
    <message>
      <source>Write the trained model as a .keras file beside the checkpoints.</source>
      <translation>Escribir el modelo entrenado como archivo .keras junto a los puntos de control.</translation>
    </message>
    <message>
      <source>Writing {name} …</source>
      <translation>Escribiendo {name} …</translation>
    </message>
    <message>
      <source>Written to {path}</source>
      <translation>Escrito en {path}</translation>
    </message>
    <message>
      <source>XLA does not find the parts of the CUDA toolkit that it compiles with.</source>
      <translation>XLA no encuentra las partes del kit de CUDA con las que compila.</translation>
    </message>
    <message>
      <source>Your own code</source>
      <translation>Su propio código</translation>
    </message>
    <message>
      <source>[1, 2, 3] + [4, 5, 6] from a ps, added by TensorFlow on every device.</source>
      <translation>[1, 2, 3] + [4, 5, 6] de un ps, sumados por TensorFlow en cada dispositivo.</translation>
    </message>
    <message>
      <source>a check is going on</source>
      <translation>hay una comprobación en curso</translation>
    </message>
    <message>
      <source>a command</source>
      <translation>una orden</translation>
    </message>
    <message>
      <source>a node</source>
      <translation>un nodo</translation>
    </message>
    <message>
      <source>a preset needs a name</source>
      <translation>un preajuste necesita un nombre</translation>
    </message>
    <message>
      <source>a preset's name has at most {LONGEST_NAME} characters</source>
      <translation>el nombre de un preajuste tiene como máximo {LONGEST_NAME} caracteres</translation>
    </message>
    <message>
      <source>a profile</source>
      <translation>un perfil</translation>
    </message>
    <message>
      <source>a task could not be started</source>
      <translation>no se pudo iniciar una tarea</translation>
    </message>
    <message>
      <source>a task may open only {n} files</source>
      <translation>una tarea solo puede abrir {n} archivos</translation>
    </message>
    <message>
      <source>about {tens} %</source>
      <translation>un {tens} %</translation>
    </message>
    <message>
      <source>address</source>
      <translation>dirección</translation>
    </message>
    <message>
      <source>address {address}</source>
      <translation>dirección {address}</translation>
    </message>
    <message>
      <source>after {time}</source>
      <translation>tras {time}</translation>
    </message>
    <message>
      <source>all</source>
      <translation>todas</translation>
    </message>
    <message>
      <source>all GPUs</source>
      <translation>todas las GPU</translation>
    </message>
    <message>
      <source>all nodes have TensorFlow {version}</source>
      <translation>todos los nodos tienen TensorFlow {version}</translation>
    </message>
    <message>
      <source>all together</source>
      <translation>todos juntos</translation>
    </message>
    <message>
      <source>all {n} ways that the run needs are open</source>
      <translation>los {n} caminos que la ejecución necesita están abiertos</translation>
    </message>
    <message>
      <source>all {n} ways that the run needs are open; longest round trip {time} ms ({node} to {other})</source>
      <translation>los {n} caminos que la ejecución necesita están abiertos; ida y vuelta más larga {time} ms (de {node} a {other})</translation>
    </message>
    <message>
      <source>all {n} ways that the run needs are open; longest round trip {time} ms ({node} to {other}), least throughput {rate} ({third} to {fourth})</source>
      <translation>los {n} caminos que la ejecución necesita están abiertos; ida y vuelta más larga {time} ms (de {node} a {other}), menor caudal {rate} (de {third} a {fourth})</translation>
    </message>
    <message>
      <source>alongside: ps share nodes with workers; dedicated: ps have their own nodes.</source>
      <translation>alongside: los ps comparten nodos con los workers; dedicated: los ps tienen sus propios nodos.</translation>
    </message>
    <message>
      <source>also compares the time to it</source>
      <translation>compara también el tiempo hasta ella</translation>
    </message>
    <message>
      <source>and {count} more lines</source>
      <translation>y {count} líneas más</translation>
    </message>
    <message>
      <source>and {words}</source>
      <translation>y {words}</translation>
    </message>
    <message>
      <source>another node</source>
      <translation>otro nodo</translation>
    </message>
    <message>
      <source>another profile</source>
      <translation>otro perfil</translation>
    </message>
    <message>
      <source>another program</source>
      <translation>otro programa</translation>
    </message>
    <message>
      <source>as many as fit</source>
      <translation>tantos como quepan</translation>
    </message>
    <message>
      <source>as ssh would</source>
      <translation>como haría ssh</translation>
    </message>
    <message>
      <source>as the site has it</source>
      <translation>como lo tenga el centro</translation>
    </message>
    <message>
      <source>async: each gradient is applied as it comes; sync: one average of all workers' gradients is applied in each step.</source>
      <translation>async: cada gradiente se aplica según llega; sync: en cada paso se aplica una media de los gradientes de todos los workers.</translation>
    </message>
    <message>
      <source>bad_alloc</source>
      <translation>bad_alloc</translation>
    </message>
    <message>
      <source>baseline is single: one process does it all. Set it to none first.</source>
      <translation>baseline es single: un proceso lo hace todo. Póngalo primero en none.</translation>
    </message>
    <message>
      <source>before its first step: the model is being compiled</source>
      <translation>antes de su primer paso: se está compilando el modelo</translation>
    </message>
    <message>
      <source>begin anew</source>
      <translation>empezar de nuevo</translation>
    </message>
    <message>
      <source>between-graph: every worker has its own client; in-graph: one client, on the chief, drives all workers.</source>
      <translation>between-graph: cada worker tiene su propio cliente; in-graph: un cliente, en el jefe, dirige a todos los workers.</translation>
    </message>
    <message>
      <source>blocked</source>
      <translation>bloqueado</translation>
    </message>
    <message>
      <source>by {at}</source>
      <translation>hasta {at}</translation>
    </message>
    <message>
      <source>cancelled</source>
      <translation>cancelado</translation>
    </message>
    <message>
      <source>cause not found</source>
      <translation>causa no encontrada</translation>
    </message>
    <message>
      <source>checking</source>
      <translation>comprobando</translation>
    </message>
    <message>
      <source>chief</source>
      <translation>jefe</translation>
    </message>
    <message>
      <source>clew data build names such files and leaves them out.</source>
      <translation>clew data build nombra esos archivos y los deja fuera.</translation>
    </message>
    <message>
      <source>clock</source>
      <translation>reloj</translation>
    </message>
    <message>
      <source>command not found</source>
      <translation>orden no encontrada</translation>
    </message>
    <message>
      <source>computing</source>
      <translation>cálculo</translation>
    </message>
    <message>
      <source>connecting</source>
      <translation>conectando</translation>
    </message>
    <message>
      <source>cuDNN could not be started: its version does not fit, or the GPU's memory is taken.</source>
      <translation>No se pudo iniciar cuDNN: su versión no encaja o la memoria de la GPU está ocupada.</translation>
    </message>
    <message>
      <source>cudnn</source>
      <translation>cudnn</translation>
    </message>
    <message>
      <source>cudnn version</source>
      <translation>versión de cudnn</translation>
    </message>
    <message>
      <source>damaged records</source>
      <translation>registros dañados</translation>
    </message>
    <message>
      <source>data</source>
      <translation>datos</translation>
    </message>
    <message>
      <source>data set</source>
      <translation>conjunto de datos</translation>
    </message>
    <message>
      <source>default</source>
      <translation>predeterminado</translation>
    </message>
    <message>
      <source>desktop: the folder is here and is sent to the nodes; node: every node has it at this path.</source>
      <translation>desktop: la carpeta está aquí y se envía a los nodos; node: cada nodo la tiene en esta ruta.</translation>
    </message>
    <message>
      <source>devices</source>
      <translation>dispositivos</translation>
    </message>
    <message>
      <source>dialling the other nodes</source>
      <translation>llamando a los demás nodos</translation>
    </message>
    <message>
      <source>disconnected</source>
      <translation>desconectado</translation>
    </message>
    <message>
      <source>disk</source>
      <translation>disco</translation>
    </message>
    <message>
      <source>disk full</source>
      <translation>disco lleno</translation>
    </message>
    <message>
      <source>done</source>
      <translation>hecho</translation>
    </message>
    <message>
      <source>driver mismatch</source>
      <translation>controlador desparejado</translation>
    </message>
    <message>
      <source>driver too old</source>
      <translation>controlador demasiado viejo</translation>
    </message>
    <message>
      <source>each node has a folder of its own</source>
      <translation>cada nodo tiene su propia carpeta</translation>
    </message>
    <message>
      <source>each row is the mean of {group}</source>
      <translation>cada fila es la media de {group}</translation>
    </message>
    <message>
      <source>each step</source>
      <translation>cada paso</translation>
    </message>
    <message>
      <source>each with each number of workers</source>
      <translation>cada uno con cada número de workers</translation>
    </message>
    <message>
      <source>ended with exit status {n}</source>
      <translation>terminó con estado de salida {n}</translation>
    </message>
    <message>
      <source>ended with exit status {n}; its last words: {text}</source>
      <translation>terminó con estado de salida {n}; sus últimas palabras: {text}</translation>
    </message>
    <message>
      <source>ended without a word</source>
      <translation>terminó sin decir nada</translation>
    </message>
    <message>
      <source>environment not made yet</source>
      <translation>entorno aún sin crear</translation>
    </message>
    <message>
      <source>environment: fetching wheels here</source>
      <translation>entorno: descargando wheels aquí</translation>
    </message>
    <message>
      <source>environment: sending wheels</source>
      <translation>entorno: enviando wheels</translation>
    </message>
    <message>
      <source>evaluating</source>
      <translation>evaluando</translation>
    </message>
    <message>
      <source>evaluation</source>
      <translation>evaluación</translation>
    </message>
    <message>
      <source>examples {at:,.0f}</source>
      <translation>ejemplos {at:,.0f}</translation>
    </message>
    <message>
      <source>expected any moment</source>
      <translation>se espera en cualquier momento</translation>
    </message>
    <message>
      <source>expected at {clock}, in {time}</source>
      <translation>se espera a las {clock}, en {time}</translation>
    </message>
    <message>
      <source>failed</source>
      <translation>fallida</translation>
    </message>
    <message>
      <source>fastest</source>
      <translation>más rápido</translation>
    </message>
    <message>
      <source>file not found</source>
      <translation>archivo no encontrado</translation>
    </message>
    <message>
      <source>files</source>
      <translation>archivos</translation>
    </message>
    <message>
      <source>finished</source>
      <translation>completada</translation>
    </message>
    <message>
      <source>first failure</source>
      <translation>primer fallo</translation>
    </message>
    <message>
      <source>for all nodes</source>
      <translation>para todos los nodos</translation>
    </message>
    <message>
      <source>free</source>
      <translation>libre</translation>
    </message>
    <message>
      <source>from {name}</source>
      <translation>de {name}</translation>
    </message>
    <message>
      <source>gave up waiting</source>
      <translation>dejó de esperar</translation>
    </message>
    <message>
      <source>going on</source>
      <translation>en curso</translation>
    </message>
    <message>
      <source>gpu</source>
      <translation>GPU</translation>
    </message>
    <message>
      <source>gpu broken</source>
      <translation>GPU rota</translation>
    </message>
    <message>
      <source>gpu fault</source>
      <translation>fallo de GPU</translation>
    </message>
    <message>
      <source>gpu out of memory</source>
      <translation>GPU sin memoria</translation>
    </message>
    <message>
      <source>gpu too old</source>
      <translation>GPU demasiado vieja</translation>
    </message>
    <message>
      <source>gpu: one worker for each GPU; node: one worker for each node, which shares its batch among the node's GPUs.</source>
      <translation>gpu: un worker por cada GPU; node: un worker por cada nodo, que reparte su lote entre las GPU del nodo.</translation>
    </message>
    <message>
      <source>h</source>
      <translation>h</translation>
    </message>
    <message>
      <source>has mistakes</source>
      <translation>tiene errores</translation>
    </message>
    <message>
      <source>hello</source>
      <translation>hello</translation>
    </message>
    <message>
      <source>highest</source>
      <translation>máximo</translation>
    </message>
    <message>
      <source>home</source>
      <translation>carpeta personal</translation>
    </message>
    <message>
      <source>ideal</source>
      <translation>ideal</translation>
    </message>
    <message>
      <source>illegal instruction</source>
      <translation>instrucción ilegal</translation>
    </message>
    <message>
      <source>in use: {by}</source>
      <translation>en uso: {by}</translation>
    </message>
    <message>
      <source>input</source>
      <translation>entrada</translation>
    </message>
    <message>
      <source>input shape</source>
      <translation>forma de la entrada</translation>
    </message>
    <message>
      <source>interrupted</source>
      <translation>interrumpido</translation>
    </message>
    <message>
      <source>is held</source>
      <translation>está retenido</translation>
    </message>
    <message>
      <source>is {state}</source>
      <translation>está {state}</translation>
    </message>
    <message>
      <source>it is not there</source>
      <translation>no está</translation>
    </message>
    <message>
      <source>label out of range</source>
      <translation>etiqueta fuera de rango</translation>
    </message>
    <message>
      <source>libdevice</source>
      <translation>libdevice</translation>
    </message>
    <message>
      <source>limits</source>
      <translation>límites</translation>
    </message>
    <message>
      <source>limits of a task: {limits}</source>
      <translation>límites de una tarea: {limits}</translation>
    </message>
    <message>
      <source>lock</source>
      <translation>bloqueo</translation>
    </message>
    <message>
      <source>logged in as {user} on {host}</source>
      <translation>sesión iniciada como {user} en {host}</translation>
    </message>
    <message>
      <source>logged in as {user} on {host}, {n} ms away</source>
      <translation>sesión iniciada como {user} en {host}, a {n} ms</translation>
    </message>
    <message>
      <source>login</source>
      <translation>acceso</translation>
    </message>
    <message>
      <source>looking at Python, GPUs and ports</source>
      <translation>mirando Python, GPU y puertos</translation>
    </message>
    <message>
      <source>looking at disks, limits and GPUs</source>
      <translation>mirando discos, límites y GPU</translation>
    </message>
    <message>
      <source>looking for the run on its nodes</source>
      <translation>buscando la ejecución en sus nodos</translation>
    </message>
    <message>
      <source>lost connection</source>
      <translation>conexión perdida</translation>
    </message>
    <message>
      <source>lowest</source>
      <translation>mínimo</translation>
    </message>
    <message>
      <source>median</source>
      <translation>mediana</translation>
    </message>
    <message>
      <source>module not found</source>
      <translation>módulo no encontrado</translation>
    </message>
    <message>
      <source>module not found by -m</source>
      <translation>módulo no encontrado por -m</translation>
    </message>
    <message>
      <source>nan</source>
      <translation>NaN</translation>
    </message>
    <message>
      <source>new</source>
      <translation>nuevo</translation>
    </message>
    <message>
      <source>next in the queue</source>
      <translation>el siguiente de la cola</translation>
    </message>
    <message>
      <source>no</source>
      <translation>no</translation>
    </message>
    <message>
      <source>no NVIDIA GPU here (there is no nvidia-smi)</source>
      <translation>aquí no hay GPU NVIDIA (no hay nvidia-smi)</translation>
    </message>
    <message>
      <source>no answer</source>
      <translation>sin respuesta</translation>
    </message>
    <message>
      <source>no gpu</source>
      <translation>sin GPU</translation>
    </message>
    <message>
      <source>no limit</source>
      <translation>sin límite</translation>
    </message>
    <message>
      <source>no nodes</source>
      <translation>sin nodos</translation>
    </message>
    <message>
      <source>no nodes yet</source>
      <translation>aún sin nodos</translation>
    </message>
    <message>
      <source>no profile is open that could be trained</source>
      <translation>no hay abierto ningún perfil que se pueda entrenar</translation>
    </message>
    <message>
      <source>no proxy variable is set that gRPC would follow</source>
      <translation>no hay ninguna variable de proxy que gRPC siga</translation>
    </message>
    <message>
      <source>no route</source>
      <translation>sin ruta</translation>
    </message>
    <message>
      <source>no run yet</source>
      <translation>aún sin ejecución</translation>
    </message>
    <message>
      <source>no step since {at}, usually one every {n} s</source>
      <translation>ningún paso desde {at}, normalmente uno cada {n} s</translation>
    </message>
    <message>
      <source>node</source>
      <translation>nodo</translation>
    </message>
    <message>
      <source>node {node}</source>
      <translation>nodo {node}</translation>
    </message>
    <message>
      <source>none</source>
      <translation>ninguno</translation>
    </message>
    <message>
      <source>none, or like 0.98</source>
      <translation>ninguna, o como 0.98</translation>
    </message>
    <message>
      <source>not an image</source>
      <translation>no es una imagen</translation>
    </message>
    <message>
      <source>not connected</source>
      <translation>no conectado</translation>
    </message>
    <message>
      <source>not now: {why}</source>
      <translation>ahora no: {why}</translation>
    </message>
    <message>
      <source>not set</source>
      <translation>sin fijar</translation>
    </message>
    <message>
      <source>not used</source>
      <translation>sin uso</translation>
    </message>
    <message>
      <source>nothing found</source>
      <translation>no se encontró nada</translation>
    </message>
    <message>
      <source>nothing is in the way</source>
      <translation>nada lo impide</translation>
    </message>
    <message>
      <source>nothing on record for {names}</source>
      <translation>nada registrado de {names}</translation>
    </message>
    <message>
      <source>nothing on record says what happened to {task} on {node}</source>
      <translation>nada de lo registrado dice qué pasó a {task} en {node}</translation>
    </message>
    <message>
      <source>nothing on record says which task it was</source>
      <translation>nada de lo registrado dice qué tarea fue</translation>
    </message>
    <message>
      <source>nothing to compare yet</source>
      <translation>aún no hay nada que comparar</translation>
    </message>
    <message>
      <source>now</source>
      <translation>ahora</translation>
    </message>
    <message>
      <source>numpy too new</source>
      <translation>numpy demasiado nuevo</translation>
    </message>
    <message>
      <source>of each size; the median counts</source>
      <translation>de cada tamaño; cuenta la mediana</translation>
    </message>
    <message>
      <source>off</source>
      <translation>desactivado</translation>
    </message>
    <message>
      <source>on {device} of {node}</source>
      <translation>en {device} de {node}</translation>
    </message>
    <message>
      <source>one or several numbers</source>
      <translation>uno o varios números</translation>
    </message>
    <message>
      <source>one process</source>
      <translation>un proceso</translation>
    </message>
    <message>
      <source>only at the end</source>
      <translation>solo al final</translation>
    </message>
    <message>
      <source>oom event</source>
      <translation>falta de memoria</translation>
    </message>
    <message>
      <source>open</source>
      <translation>abierto</translation>
    </message>
    <message>
      <source>other</source>
      <translation>otros</translation>
    </message>
    <message>
      <source>other things than its steps</source>
      <translation>otras cosas que no son sus pasos</translation>
    </message>
    <message>
      <source>out of memory</source>
      <translation>sin memoria</translation>
    </message>
    <message>
      <source>out of memory in numpy</source>
      <translation>sin memoria en numpy</translation>
    </message>
    <message>
      <source>pending</source>
      <translation>pendiente</translation>
    </message>
    <message>
      <source>permission</source>
      <translation>permisos</translation>
    </message>
    <message>
      <source>placed automatically</source>
      <translation>colocadas automáticamente</translation>
    </message>
    <message>
      <source>placed by hand</source>
      <translation>colocadas a mano</translation>
    </message>
    <message>
      <source>port</source>
      <translation>puerto</translation>
    </message>
    <message>
      <source>port in use</source>
      <translation>puerto ocupado</translation>
    </message>
    <message>
      <source>ports</source>
      <translation>puertos</translation>
    </message>
    <message>
      <source>preempted</source>
      <translation>desalojada</translation>
    </message>
    <message>
      <source>preparing</source>
      <translation>preparando</translation>
    </message>
    <message>
      <source>process</source>
      <translation>proceso</translation>
    </message>
    <message>
      <source>proxy</source>
      <translation>proxy</translation>
    </message>
    <message>
      <source>push and pull</source>
      <translation>envío y recepción</translation>
    </message>
    <message>
      <source>px</source>
      <translation>px</translation>
    </message>
    <message>
      <source>python too old</source>
      <translation>Python demasiado viejo</translation>
    </message>
    <message>
      <source>queued</source>
      <translation>en cola</translation>
    </message>
    <message>
      <source>quota</source>
      <translation>cuota</translation>
    </message>
    <message>
      <source>reach</source>
      <translation>alcance</translation>
    </message>
    <message>
      <source>read-only disk</source>
      <translation>disco de solo lectura</translation>
    </message>
    <message>
      <source>reading the data set here</source>
      <translation>leyendo aquí el conjunto de datos</translation>
    </message>
    <message>
      <source>reading your code here</source>
      <translation>leyendo aquí su código</translation>
    </message>
    <message>
      <source>ready</source>
      <translation>listo</translation>
    </message>
    <message>
      <source>refused</source>
      <translation>rechazado</translation>
    </message>
    <message>
      <source>restarting</source>
      <translation>rearrancando</translation>
    </message>
    <message>
      <source>run {run_id} of the study cannot be followed</source>
      <translation>no se puede seguir la ejecución {run_id} del estudio</translation>
    </message>
    <message>
      <source>run {run} has not ended yet</source>
      <translation>la ejecución {run} aún no ha terminado</translation>
    </message>
    <message>
      <source>run {run} is stopped; nothing of it is left</source>
      <translation>la ejecución {run} está detenida; no queda nada de ella</translation>
    </message>
    <message>
      <source>run {run} was stopped, but {why}</source>
      <translation>la ejecución {run} se detuvo, pero {why}</translation>
    </message>
    <message>
      <source>run's folder</source>
      <translation>carpeta de ejecución</translation>
    </message>
    <message>
      <source>running mean</source>
      <translation>media móvil</translation>
    </message>
    <message>
      <source>runs and checkpoints go to {path} ({free} free)</source>
      <translation>las ejecuciones y los puntos de control van a {path} ({free} libres)</translation>
    </message>
    <message>
      <source>runs and checkpoints go to {path}, and there is only {free} free</source>
      <translation>las ejecuciones y los puntos de control van a {path}, y allí solo hay {free} libres</translation>
    </message>
    <message>
      <source>runs of each size</source>
      <translation>ejecuciones de cada tamaño</translation>
    </message>
    <message>
      <source>runs of each size is one number</source>
      <translation>las ejecuciones de cada tamaño son un solo número</translation>
    </message>
    <message>
      <source>s</source>
      <translation>s</translation>
    </message>
    <message>
      <source>same</source>
      <translation>la misma</translation>
    </message>
    <message>
      <source>saving</source>
      <translation>guardando</translation>
    </message>
    <message>
      <source>script not found</source>
      <translation>script no encontrado</translation>
    </message>
    <message>
      <source>see its log</source>
      <translation>vea su registro</translation>
    </message>
    <message>
      <source>sending the trainer</source>
      <translation>enviando el entrenador</translation>
    </message>
    <message>
      <source>sending to {node}</source>
      <translation>enviando a {node}</translation>
    </message>
    <message>
      <source>session aborted</source>
      <translation>sesión abortada</translation>
    </message>
    <message>
      <source>shared library missing</source>
      <translation>falta una biblioteca</translation>
    </message>
    <message>
      <source>shared memory full</source>
      <translation>memoria compartida llena</translation>
    </message>
    <message>
      <source>single: the same model and data in one process without any ps, to compare with; the choices of distribution stay as they are and are not used.</source>
      <translation>single: el mismo modelo y los mismos datos en un proceso sin ningún ps, para comparar; las opciones de distribución se quedan como están y no se usan.</translation>
    </message>
    <message>
      <source>slow</source>
      <translation>lento</translation>
    </message>
    <message>
      <source>slowest</source>
      <translation>más lento</translation>
    </message>
    <message>
      <source>stale NFS handle</source>
      <translation>archivo NFS caducado</translation>
    </message>
    <message>
      <source>stalled</source>
      <translation>estancada</translation>
    </message>
    <message>
      <source>starting</source>
      <translation>arrancando</translation>
    </message>
    <message>
      <source>starting the agent</source>
      <translation>iniciando el agente</translation>
    </message>
    <message>
      <source>step {at:,.0f}</source>
      <translation>paso {at:,.0f}</translation>
    </message>
    <message>
      <source>stopped</source>
      <translation>detenida</translation>
    </message>
    <message>
      <source>stopped before it was started</source>
      <translation>detenida antes de iniciarse</translation>
    </message>
    <message>
      <source>stopped by the user</source>
      <translation>detenida por el usuario</translation>
    </message>
    <message>
      <source>stopped from elsewhere</source>
      <translation>detenida desde otro lugar</translation>
    </message>
    <message>
      <source>stopped while preparing</source>
      <translation>detenida durante la preparación</translation>
    </message>
    <message>
      <source>stopping</source>
      <translation>deteniéndose</translation>
    </message>
    <message>
      <source>stopping run {run}, as ordered on {when}</source>
      <translation>deteniendo la ejecución {run}, como se ordenó el {when}</translation>
    </message>
    <message>
      <source>stops when {nodes} are heard again</source>
      <translation>se detendrá cuando vuelva a saberse de {nodes}</translation>
    </message>
    <message>
      <source>stops when {node} is heard again</source>
      <translation>se detendrá cuando vuelva a saberse de {node}</translation>
    </message>
    <message>
      <source>system library too old</source>
      <translation>biblioteca del sistema demasiado vieja</translation>
    </message>
    <message>
      <source>task</source>
      <translation>tarea</translation>
    </message>
    <message>
      <source>temporary file</source>
      <translation>archivo temporal</translation>
    </message>
    <message>
      <source>temporary files go to {path} ({free} free)</source>
      <translation>los archivos temporales van a {path} ({free} libres)</translation>
    </message>
    <message>
      <source>temporary files go to {path}, and there is only {free} free</source>
      <translation>los archivos temporales van a {path}, y allí solo hay {free} libres</translation>
    </message>
    <message>
      <source>tensorflow version</source>
      <translation>versión de TensorFlow</translation>
    </message>
    <message>
      <source>the NVIDIA driver is {driver}, and CUDA 12 needs {oldest} or newer</source>
      <translation>el controlador NVIDIA es {driver}, y CUDA 12 necesita {oldest} o más nuevo</translation>
    </message>
    <message>
      <source>the SSH connection broke</source>
      <translation>se rompió la conexión SSH</translation>
    </message>
    <message>
      <source>the clock is {time} ahead of this computer's (± {error})</source>
      <translation>el reloj va {time} por delante del de este ordenador (± {error})</translation>
    </message>
    <message>
      <source>the clock is {time} behind this computer's (± {error})</source>
      <translation>el reloj va {time} por detrás del de este ordenador (± {error})</translation>
    </message>
    <message>
      <source>the clock of {node} is {n} s ahead of that of {other}</source>
      <translation>el reloj de {node} va {n} s por delante del de {other}</translation>
    </message>
    <message>
      <source>the connection to the agent ended</source>
      <translation>terminó la conexión con el agente</translation>
    </message>
    <message>
      <source>the connection was closed</source>
      <translation>se cerró la conexión</translation>
    </message>
    <message>
      <source>the data set is in {path} ({free} free)</source>
      <translation>el conjunto de datos está en {path} ({free} libres)</translation>
    </message>
    <message>
      <source>the data set {name} is here and whole</source>
      <translation>el conjunto de datos {name} está aquí y completo</translation>
    </message>
    <message>
      <source>the environment is made at launch</source>
      <translation>el entorno se crea al lanzar</translation>
    </message>
    <message>
      <source>the first one that is found</source>
      <translation>el primero que se encuentre</translation>
    </message>
    <message>
      <source>the hello was left out: no node is ready</source>
      <translation>se omitió el hello: ningún nodo está listo</translation>
    </message>
    <message>
      <source>the home is {path} ({free} free)</source>
      <translation>la carpeta personal es {path} ({free} libres)</translation>
    </message>
    <message>
      <source>the home is {path}, and there is only {free} free</source>
      <translation>la carpeta personal es {path}, y allí solo hay {free} libres</translation>
    </message>
    <message>
      <source>the host key {key} of {host} was not accepted</source>
      <translation>no se aceptó la clave de host {key} de {host}</translation>
    </message>
    <message>
      <source>the login as {login} was cancelled ({why})</source>
      <translation>se canceló el acceso como {login} ({why})</translation>
    </message>
    <message>
      <source>the login as {login} was refused ({why})</source>
      <translation>se rechazó el acceso como {login} ({why})</translation>
    </message>
    <message>
      <source>the login shell is {shell}</source>
      <translation>el shell de acceso es {shell}</translation>
    </message>
    <message>
      <source>the nodes are not connected</source>
      <translation>los nodos no están conectados</translation>
    </message>
    <message>
      <source>the nodes have changed since this was planned</source>
      <translation>los nodos han cambiado desde que se hizo el plan</translation>
    </message>
    <message>
      <source>the nodes' TensorFlow versions differ ({versions})</source>
      <translation>las versiones de TensorFlow de los nodos difieren ({versions})</translation>
    </message>
    <message>
      <source>the nodes' clocks agree to {n} ms</source>
      <translation>los relojes de los nodos coinciden en {n} ms</translation>
    </message>
    <message>
      <source>the nodes' own names</source>
      <translation>los nombres de los nodos</translation>
    </message>
    <message>
      <source>the one way that the run needs is open</source>
      <translation>el único camino que la ejecución necesita está abierto</translation>
    </message>
    <message>
      <source>the rest of the run</source>
      <translation>el resto de la ejecución</translation>
    </message>
    <message>
      <source>the user</source>
      <translation>el usuario</translation>
    </message>
    <message>
      <source>the way from {node} to {other} is slow: {speed}</source>
      <translation>el camino de {node} a {other} es lento: {speed}</translation>
    </message>
    <message>
      <source>there are no nodes. Add at least one to the profile</source>
      <translation>no hay nodos. Añada al menos uno al perfil</translation>
    </message>
    <message>
      <source>there are {MOST} presets</source>
      <translation>hay {MOST} preajustes</translation>
    </message>
    <message>
      <source>there is no GPU; tasks here run on the CPU</source>
      <translation>no hay GPU; aquí las tareas se ejecutan en la CPU</translation>
    </message>
    <message>
      <source>threads</source>
      <translation>hilos</translation>
    </message>
    <message>
      <source>time limit</source>
      <translation>límite de tiempo</translation>
    </message>
    <message>
      <source>to {name}</source>
      <translation>a {name}</translation>
    </message>
    <message>
      <source>too many open files</source>
      <translation>demasiados archivos abiertos</translation>
    </message>
    <message>
      <source>total</source>
      <translation>total</translation>
    </message>
    <message>
      <source>training</source>
      <translation>entrenando</translation>
    </message>
    <message>
      <source>unfinished upload</source>
      <translation>envío inacabado</translation>
    </message>
    <message>
      <source>unknown</source>
      <translation>desconocida</translation>
    </message>
    <message>
      <source>unknown name</source>
      <translation>nombre desconocido</translation>
    </message>
    <message>
      <source>unknown since {time}</source>
      <translation>desconocida desde {time}</translation>
    </message>
    <message>
      <source>unreachable</source>
      <translation>inaccesible</translation>
    </message>
    <message>
      <source>unusable</source>
      <translation>inutilizable</translation>
    </message>
    <message>
      <source>waiting</source>
      <translation>esperando</translation>
    </message>
    <message>
      <source>waiting for your answer</source>
      <translation>espera su respuesta</translation>
    </message>
    <message>
      <source>waiting for {tasks} and {n} more to end, killed in {m} s at the latest</source>
      <translation>esperando a que terminen {tasks} y {n} más; se matan en {m} s como muy tarde</translation>
    </message>
    <message>
      <source>waiting for {tasks} and {n} more to save, killed in {m} s at the latest</source>
      <translation>esperando a que guarden {tasks} y {n} más; se matan en {m} s como muy tarde</translation>
    </message>
    <message>
      <source>waiting for {tasks} to end</source>
      <translation>esperando a que termine {tasks}</translation>
    </message>
    <message>
      <source>waiting for {tasks} to end, killed in {m} s at the latest</source>
      <translation>esperando a que termine {tasks}; se mata en {m} s como muy tarde</translation>
    </message>
    <message>
      <source>waiting for {tasks} to save</source>
      <translation>esperando a que guarde {tasks}</translation>
    </message>
    <message>
      <source>waiting for {tasks} to save, killed in {m} s at the latest</source>
      <translation>esperando a que guarde {tasks}; se mata en {m} s como muy tarde</translation>
    </message>
    <message>
      <source>waiting for {tasks}, being killed</source>
      <translation>esperando a {tasks}, que se está matando</translation>
    </message>
    <message>
      <source>waiting for {time}</source>
      <translation>espera desde hace {time}</translation>
    </message>
    <message>
      <source>waits</source>
      <translation>espera</translation>
    </message>
    <message>
      <source>waits, as far as is known</source>
      <translation>espera, por lo que se sabe</translation>
    </message>
    <message>
      <source>was cut off</source>
      <translation>quedó cortada</translation>
    </message>
    <message>
      <source>was killed (signal {n})</source>
      <translation>fue matada (señal {n})</translation>
    </message>
    <message>
      <source>was killed (signal {n}, memory ran out)</source>
      <translation>fue matada (señal {n}, se acabó la memoria)</translation>
    </message>
    <message>
      <source>was killed by the node (signal 9), probably out of memory</source>
      <translation>la mató el nodo (señal 9), probablemente sin memoria</translation>
    </message>
    <message>
      <source>was killed by the node because memory ran out</source>
      <translation>la mató el nodo porque se acabó la memoria</translation>
    </message>
    <message>
      <source>was not started</source>
      <translation>no se inició</translation>
    </message>
    <message>
      <source>without a place</source>
      <translation>sin sitio</translation>
    </message>
    <message>
      <source>wrong</source>
      <translation>incorrecto</translation>
    </message>
    <message>
      <source>wrong arguments</source>
      <translation>argumentos incorrectos</translation>
    </message>
    <message>
      <source>yes</source>
      <translation>sí</translation>
    </message>
    <message>
      <source>your code</source>
      <translation>su código</translation>
    </message>
    <message>
      <source>{action} {done} of {total}</source>
      <translation>{action} {done} de {total}</translation>
    </message>
    <message>
      <source>{age:.0f} {unit} ago</source>
      <translation>hace {age:.0f} {unit}</translation>
    </message>
    <message>
      <source>{ahead} in front of it</source>
      <translation>{ahead} delante</translation>
    </message>
    <message>
      <source>{alias}  (has conditions that need a command)</source>
      <translation>{alias}  (tiene condiciones que necesitan una orden)</translation>
    </message>
    <message>
      <source>{alias}  (in the profile)</source>
      <translation>{alias}  (en el perfil)</translation>
    </message>
    <message>
      <source>{at:,} of {count:,}</source>
      <translation>{at:,} de {count:,}</translation>
    </message>
    <message>
      <source>{at} · step {step:,}</source>
      <translation>{at} · paso {step:,}</translation>
    </message>
    <message>
      <source>{count:,} found</source>
      <translation>{count:,} encontrados</translation>
    </message>
    <message>
      <source>{count} changes</source>
      <translation>{count} cambios</translation>
    </message>
    <message>
      <source>{count} runs</source>
      <translation>{count} ejecuciones</translation>
    </message>
    <message>
      <source>{count} runs chosen. {can}</source>
      <translation>{count} ejecuciones elegidas. {can}</translation>
    </message>
    <message>
      <source>{count} runs: {sizes} sizes, {repeats} of each.</source>
      <translation>{count} ejecuciones: {sizes} tamaños, {repeats} de cada uno.</translation>
    </message>
    <message>
      <source>{count} tasks</source>
      <translation>{count} tareas</translation>
    </message>
    <message>
      <source>{count} unknown host keys</source>
      <translation>{count} claves de host desconocidas</translation>
    </message>
    <message>
      <source>{data}
Click: what was written to the logs then</source>
      <translation>{data}
Clic: lo que se escribió entonces en los registros</translation>
    </message>
    <message>
      <source>{device} of {node}</source>
      <translation>{device} de {node}</translation>
    </message>
    <message>
      <source>{file} has conditions that a command on this computer decides. ssh runs them whenever it connects. Without them, their blocks do not apply here.</source>
      <translation>{file} tiene condiciones que decide una orden en este ordenador. ssh las ejecuta cada vez que conecta. Sin ellas, sus bloques no se aplican aquí.</translation>
    </message>
    <message>
      <source>{file} names no hosts, only patterns or defaults. Add nodes by their host name.</source>
      <translation>{file} no nombra hosts, solo patrones o valores predeterminados. Añada los nodos por su nombre de host.</translation>
    </message>
    <message>
      <source>{file}, line {line}</source>
      <translation>{file}, línea {line}</translation>
    </message>
    <message>
      <source>{folder} cannot be made: {strerror}</source>
      <translation>no se puede crear {folder}: {strerror}</translation>
    </message>
    <message>
      <source>{free:.0f} GiB free in {root}</source>
      <translation>{free:.0f} GiB libres en {root}</translation>
    </message>
    <message>
      <source>{good} of {total} runs made</source>
      <translation>{good} de {total} ejecuciones hechas</translation>
    </message>
    <message>
      <source>{hidden} more · dismiss all</source>
      <translation>{hidden} más · descartar todo</translation>
    </message>
    <message>
      <source>{job} has its nodes: the run starts.</source>
      <translation>{job} tiene sus nodos: la ejecución empieza.</translation>
    </message>
    <message>
      <source>{known:,} of {all:,}</source>
      <translation>{known:,} de {all:,}</translation>
    </message>
    <message>
      <source>{made}, {failed} failed</source>
      <translation>{made}, {failed} fallidas</translation>
    </message>
    <message>
      <source>{more} more go on there; the Runs page has them.</source>
      <translation>{more} más siguen allí; la página Ejecuciones las tiene.</translation>
    </message>
    <message numerus="yes">
      <source>{n:.0f} workers</source>
      <translation>
        <numerusform>{n:.0f} worker</numerusform>
        <numerusform>{n:.0f} workers</numerusform>
      </translation>
    </message>
    <message>
      <source>{name} is in the form.{folder}</source>
      <translation>{name} está en el formulario.{folder}</translation>
    </message>
    <message>
      <source>{name} is no picture's name</source>
      <translation>{name} no es un nombre de imagen</translation>
    </message>
    <message>
      <source>{name} is one of Clew's own presets</source>
      <translation>{name} es uno de los preajustes de Clew</translation>
    </message>
    <message>
      <source>{name} is set for tasks, so TensorFlow would dial {host} through that proxy</source>
      <translation>{name} está fijada para las tareas, así que TensorFlow llamaría a {host} a través de ese proxy</translation>
    </message>
    <message>
      <source>{name} was made by a newer Clew.</source>
      <translation>{name} lo hizo un Clew más nuevo.</translation>
    </message>
    <message>
      <source>{name} went wrong ({kind}: {error})</source>
      <translation>{name} salió mal ({kind}: {error})</translation>
    </message>
    <message>
      <source>{name}: run {run_id}</source>
      <translation>{name}: ejecución {run_id}</translation>
    </message>
    <message>
      <source>{nodes_free} of {nodes}</source>
      <translation>{nodes_free} de {nodes}</translation>
    </message>
    <message>
      <source>{nodes} share {folder}; what is sent is sent to all</source>
      <translation>{nodes} comparten {folder}; lo que se envía se envía a todos</translation>
    </message>
    <message>
      <source>{nodes}: {title} is still there: {why}</source>
      <translation>{nodes}: {title} sigue allí: {why}</translation>
    </message>
    <message>
      <source>{node} and {more} more are waiting for your answer.</source>
      <translation>{node} y {more} más esperan su respuesta.</translation>
    </message>
    <message>
      <source>{node} is not connected.</source>
      <translation>{node} no está conectado.</translation>
    </message>
    <message>
      <source>{node} is waiting for your answer.</source>
      <translation>{node} espera su respuesta.</translation>
    </message>
    <message>
      <source>{node} was not looked at: {what}</source>
      <translation>no se miró {node}: {what}</translation>
    </message>
    <message>
      <source>{node}'s clock is {time} ahead</source>
      <translation>el reloj de {node} va {time} por delante</translation>
    </message>
    <message>
      <source>{node}'s clock is {time} behind</source>
      <translation>el reloj de {node} va {time} por detrás</translation>
    </message>
    <message>
      <source>{node}, where {task} ran, does not answer</source>
      <translation>{node}, donde se ejecutaba {task}, no responde</translation>
    </message>
    <message>
      <source>{node}: no task uses its {devices}</source>
      <translation>{node}: ninguna tarea usa {devices}</translation>
    </message>
    <message>
      <source>{node}: not connected. Connect to it, or take it out of the profile</source>
      <translation>{node}: no conectado. Conecte con él o quítelo del perfil</translation>
    </message>
    <message>
      <source>{node}: {n} workers share {m} CPUs</source>
      <translation>{node}: {n} workers comparten {m} CPU</translation>
    </message>
    <message>
      <source>{node}: {tasks} has no GPU and is slower than the others</source>
      <translation>{node}: {tasks} no tiene GPU y es más lento que los demás</translation>
    </message>
    <message>
      <source>{node}: {task} shares it with {tasks}, though ps_placement is dedicated</source>
      <translation>{node}: {task} lo comparte con {tasks}, aunque ps_placement es dedicated</translation>
    </message>
    <message numerus="yes">
      <source>{n} CPUs</source>
      <translation>
        <numerusform>{n} CPU</numerusform>
        <numerusform>{n} CPU</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>{n} GPUs</source>
      <translation>
        <numerusform>{n} GPU</numerusform>
        <numerusform>{n} GPU</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>{n} days</source>
      <translation>
        <numerusform>{n} día</numerusform>
        <numerusform>{n} días</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>{n} days ago</source>
      <translation>
        <numerusform>hace {n} día</numerusform>
        <numerusform>hace {n} días</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>{n} nodes</source>
      <translation>
        <numerusform>{n} nodo</numerusform>
        <numerusform>{n} nodos</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>{n} nodes, not connected</source>
      <translation>
        <numerusform>{n} nodo, no conectado</numerusform>
        <numerusform>{n} nodos, no conectados</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>{n} problems</source>
      <translation>
        <numerusform>{n} problema</numerusform>
        <numerusform>{n} problemas</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>{n} runs are deleted from this computer; files on nodes stay as they are.</source>
      <translation>
        <numerusform>La ejecución {run} se ha borrado de este ordenador; los archivos de los nodos quedan como están.</numerusform>
        <numerusform>{n} ejecuciones se han borrado de este ordenador; los archivos de los nodos quedan como están.</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>{n} runs that were started elsewhere: see the Runs page.</source>
      <translation>
        <numerusform>Una ejecución que se inició en otro lugar: vea la página Ejecuciones.</numerusform>
        <numerusform>{n} ejecuciones que se iniciaron en otro lugar: vea la página Ejecuciones.</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>{n} values not finite</source>
      <translation>
        <numerusform>{n} valor no finito</numerusform>
        <numerusform>{n} valores no finitos</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>{n} values ≤ 0 not shown</source>
      <translation>
        <numerusform>{n} valor ≤ 0 no mostrado</numerusform>
        <numerusform>{n} valores ≤ 0 no mostrados</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>{n} warnings</source>
      <translation>
        <numerusform>{n} aviso</numerusform>
        <numerusform>{n} avisos</numerusform>
      </translation>
    </message>
    <message>
      <source>{n}% of the workers' time goes into other things than steps, such as evaluation and checkpoints.</source>
      <translation>El {n} % del tiempo de los workers se va en otras cosas que no son pasos, como evaluación y puntos de control.</translation>
    </message>
    <message>
      <source>{other} is there. Choose a free place.</source>
      <translation>{other} está ahí. Elija un sitio libre.</translation>
    </message>
    <message>
      <source>{other} is there. Move it first.</source>
      <translation>{other} está ahí. Muévalo primero.</translation>
    </message>
    <message>
      <source>{path} cannot be read: {strerror}</source>
      <translation>no se puede leer {path}: {strerror}</translation>
    </message>
    <message>
      <source>{path} cannot be written: {strerror}</source>
      <translation>no se puede escribir {path}: {strerror}</translation>
    </message>
    <message>
      <source>{path} cannot be written: {why}</source>
      <translation>no se puede escribir {path}: {why}</translation>
    </message>
    <message>
      <source>{path} is damaged</source>
      <translation>{path} está dañado</translation>
    </message>
    <message>
      <source>{path} is too large to be Clew's</source>
      <translation>{path} es demasiado grande para ser de Clew</translation>
    </message>
    <message>
      <source>{place} did not answer within {n} s</source>
      <translation>{place} no respondió en {n} s</translation>
    </message>
    <message>
      <source>{place} refused the connection: no SSH server listens there</source>
      <translation>{place} rechazó la conexión: allí no escucha ningún servidor SSH</translation>
    </message>
    <message>
      <source>{ports}: every task gets the one it is to have</source>
      <translation>{ports}: cada tarea recibe el que le toca</translation>
    </message>
    <message>
      <source>{port}, because {held} is held</source>
      <translation>{port}, porque {held} está ocupado</translation>
    </message>
    <message>
      <source>{ps} ps</source>
      <translation>{ps} ps</translation>
    </message>
    <message>
      <source>{ready} of {total} ready</source>
      <translation>{ready} de {total} listos</translation>
    </message>
    <message>
      <source>{shown:,} of {total:,} runs</source>
      <translation>{shown:,} de {total:,} ejecuciones</translation>
    </message>
    <message>
      <source>{state} on {node}</source>
      <translation>{state} en {node}</translation>
    </message>
    <message>
      <source>{tab} of {title}</source>
      <translation>{tab} de {title}</translation>
    </message>
    <message>
      <source>{task} gets no answer from {place}: a firewall drops it, or nothing is there</source>
      <translation>{task} no recibe respuesta de {place}: un cortafuegos lo descarta o no hay nada allí</translation>
    </message>
    <message>
      <source>{task} has no place. Give it one, or place all tasks automatically</source>
      <translation>{task} no tiene sitio. Dele uno o coloque todas las tareas automáticamente</translation>
    </message>
    <message>
      <source>{task} holds the others up: they wait for it {n}% of the time. Most of its own goes into {part}.</source>
      <translation>{task} retrasa a los demás: lo esperan el {n} % del tiempo. La mayor parte del suyo se va en {part}.</translation>
    </message>
    <message>
      <source>{task} is refused by {place}: a firewall rejects it, or the address is another machine's</source>
      <translation>{place} rechaza a {task}: un cortafuegos lo rechaza o la dirección es de otra máquina</translation>
    </message>
    <message>
      <source>{task} makes {n}% of the others' steps; most of its time goes into {part}.</source>
      <translation>{task} hace el {n} % de los pasos de los demás; la mayor parte de su tiempo se va en {part}.</translation>
    </message>
    <message>
      <source>{task} on {node}</source>
      <translation>{task} en {node}</translation>
    </message>
    <message>
      <source>{task} on {node} failed: {why}</source>
      <translation>{task} en {node} falló: {why}</translation>
    </message>
    <message>
      <source>{task} on {node} has failed</source>
      <translation>{task} en {node} ha fallado</translation>
    </message>
    <message>
      <source>{task} on {node} is not heard from</source>
      <translation>no se sabe nada de {task} en {node}</translation>
    </message>
    <message>
      <source>{task} on {node} is stalled</source>
      <translation>{task} en {node} está estancada</translation>
    </message>
    <message>
      <source>{task} on {node} is stalled: {why}</source>
      <translation>{task} en {node} está estancada: {why}</translation>
    </message>
    <message>
      <source>{task} on {node} is {state}</source>
      <translation>{task} en {node} está {state}</translation>
    </message>
    <message>
      <source>{task} on {node} makes steps again, after {n} s without one</source>
      <translation>{task} en {node} vuelve a dar pasos, tras {n} s sin ninguno</translation>
    </message>
    <message>
      <source>{task} on {node}{detail}{behind}</source>
      <translation>{task} en {node}{detail}{behind}</translation>
    </message>
    <message>
      <source>{task} waits {n}% of the time for the next batch.</source>
      <translation>{task} espera el {n} % del tiempo el siguiente lote.</translation>
    </message>
    <message>
      <source>{task} · chief</source>
      <translation>{task} · jefe</translation>
    </message>
    <message>
      <source>{task}, the chief</source>
      <translation>{task}, el jefe</translation>
    </message>
    <message>
      <source>{task}, the chief, on {node}</source>
      <translation>{task}, el jefe, en {node}</translation>
    </message>
    <message>
      <source>{task}: choose a place with the arrow keys, Enter drops it.</source>
      <translation>{task}: elija un sitio con las flechas, Intro la suelta.</translation>
    </message>
    <message>
      <source>{task}: there is no node {node}. Place it on another</source>
      <translation>{task}: no hay ningún nodo {node}. Colóquela en otro</translation>
    </message>
    <message>
      <source>{time} left</source>
      <translation>quedan {time}</translation>
    </message>
    <message>
      <source>{title}  (Ctrl+{number})</source>
      <translation>{title}  (Ctrl+{number})</translation>
    </message>
    <message>
      <source>{title} chart</source>
      <translation>Gráfico de {title}</translation>
    </message>
    <message>
      <source>{title} of {count:,} devices</source>
      <translation>{title} de {count:,} dispositivos</translation>
    </message>
    <message>
      <source>{title} values</source>
      <translation>Valores de {title}</translation>
    </message>
    <message>
      <source>{title}, {time} to {time2}</source>
      <translation>{title}, de {time} a {time2}</translation>
    </message>
    <message>
      <source>{total:,} runs</source>
      <translation>{total:,} ejecuciones</translation>
    </message>
    <message>
      <source>{typed!r} is no accuracy above 0, at most 1</source>
      <translation>{typed!r} no es una exactitud mayor que 0 y como máximo 1</translation>
    </message>
    <message>
      <source>{value} of {count} {kind}</source>
      <translation>{value} de {count} {kind}</translation>
    </message>
    <message>
      <source>{value} of {total}</source>
      <translation>{value} de {total}</translation>
    </message>
    <message>
      <source>{words} About {time} or longer, as fast as earlier runs were.</source>
      <translation>{words} Unos {time} o más, al ritmo de ejecuciones anteriores.</translation>
    </message>
    <message>
      <source>{words} How long they take is known after the first.</source>
      <translation>{words} Cuánto tardan se sabrá tras la primera.</translation>
    </message>
    <message>
      <source>{words} is among your presets.</source>
      <translation>{words} está entre sus preajustes.</translation>
    </message>
    <message>
      <source>{words} was replaced.</source>
      <translation>Se reemplazó {words}.</translation>
    </message>
    <message>
      <source>{words}. Now: {names}{more}.</source>
      <translation>{words}. Ahora: {names}{more}.</translation>
    </message>
    <message>
      <source>{words}: no values yet.</source>
      <translation>{words}: aún sin valores.</translation>
    </message>
    <message>
      <source>↓ Newest</source>
      <translation>↓ Lo último</translation>
    </message>
    <message>
      <source>✓ ok</source>
      <translation>✓ bien</translation>
    </message>
    <message>
      <source>✗ problem</source>
      <translation>✗ problema</translation>
    </message>
  </context>
</TS>
